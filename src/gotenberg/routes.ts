/**
 * The routes of Gotenberg, for its clients (PLATEN_GOTENBERG_ROUTES): forms in, PDFs and images out. Each form is translated into the
 * equivalent request of `/v1` and handled in the same way.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { documentType } from '../documents/documents.ts';
import { type FieldError, hasCode, invalidField, ServiceError } from '../errors.ts';
import { toDisposition } from '../http/replies/disposition.ts';
import { type Content, memoryOfRender, spoolPdf } from '../http/replies/spool-pdf.ts';
import { idempotent, markReplayed } from '../http/requests/idempotent.ts';
import { requestUsage, takeBody } from '../http/requests/request-memory.ts';
import { readParts } from '../http/requests/source-bodies.ts';
import type { RouteServices } from '../http/routes/services.ts';
import { requirePrincipal } from '../http/server/authenticate.ts';
import { disconnectSignal } from '../http/server/client-disconnect.ts';
import { logFailure } from '../http/server/log-failure.ts';
import { PDF } from '../http/server/negotiation.ts';
import { toServiceError } from '../http/server/problem.ts';
import { RATE_LIMITED } from '../http/server/rate-limit.ts';
import { type Answer, resultGone } from '../idempotency/idempotency.ts';
import type { Markdown } from '../markdown/markdown.ts';
import type { FinishPlan } from '../render/request/finish-options.ts';
import { parseRenderRequest } from '../render/request/render-request.ts';
import { suggestAssets } from '../render/request/values/document-size.ts';
import { isUsableFilename, MAX_FILENAME } from '../render/request/values/filename.ts';
import type { UploadAssembly } from '../uploads/assemble-uploads.ts';
import type { ResultUploads } from '../webhooks/result-uploads.ts';
import { currentOrigin, inWorkLog, noteResult, openWorkLog } from '../work-log.ts';
import { type BackgroundJobs, retryWhileBusy } from './background.ts';
import { createCredentialReader } from './credentials.ts';
import { readTrace } from './errors.ts';
import { type SentForm, toFileName, translateError } from './field-names.ts';
import { type GotenbergForm, type GotenbergSource, readGotenbergForm, toMergeOptions } from './form.ts';
import type { RouteKind } from './known-fields.ts';
import { convertMarkdown } from './markdown.ts';
import { imageRender, pdfRender, type Render, type Rendered, type ToRender } from './render.ts';
import { readWebhook, sendError, sendResult, type WebhookAddresses } from './webhook.ts';

export interface GotenbergServices extends RouteServices {
  markdown: Markdown;
  uploadAssembly: UploadAssembly;
  resultUploads: ResultUploads;
  backgroundJobs: BackgroundJobs;
}

export interface GotenbergRouteOptions {
  gotenbergRoutes: 'on' | 'off';
  /** The API key of requests without credentials. Empty if they have none. */
  gotenbergKey: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    gotenbergTarget?: RouteKind;
  }
}

const SOURCES: readonly GotenbergSource[] = ['html', 'url', 'markdown'];
/** Maximum number of parts of a form besides files. */
const MAX_FIELDS = 100;
/** Maximum number of characters of a filename, without its extension. */
const MAX_CHARACTERS = 250;
const HIDDEN = { schema: { hide: true } };
const FORM = { schema: { hide: true, body: { content: { 'multipart/form-data': { schema: {} } } } } };

/** Register it where requests are authenticated and counted. */
export async function gotenbergRoutes(
  app: FastifyInstance,
  services: GotenbergServices,
  { gotenbergKey }: Pick<GotenbergRouteOptions, 'gotenbergKey'>,
): Promise<void> {
  await app.register(async (scope) => {
    const routeConfig = (gotenbergTarget: RouteKind) => ({
      ...RATE_LIMITED,
      gotenbergTarget,
      secretOf: createCredentialReader(gotenbergKey),
    });
    scope.addHook('onRequest', async (request, reply) => void reply.header('gotenberg-trace', readTrace(request)));
    readForms(scope, services);
    for (const source of SOURCES) {
      scope.post(`/forms/chromium/convert/${source}`, { ...FORM, config: routeConfig('pdf') }, (request, reply) =>
        withForm(request, (form) => answer(services, request, reply, form, source, pdfRender)),
      );
      scope.post(`/forms/chromium/screenshot/${source}`, { ...FORM, config: routeConfig('image') }, (request, reply) =>
        withForm(request, (form) => answer(services, request, reply, form, source, imageRender)),
      );
    }
    for (const path of ['/forms/pdfengines/merge', '/forms/pdf/merge'])
      scope.post(path, { ...FORM, config: routeConfig('merge') }, (request, reply) =>
        withForm(request, (form) => answerMerge(services, request, reply, form)),
      );
  });
}

/** `/health` and `/version`, which require no key. */
export function gotenbergSystemRoutes(app: FastifyInstance, checkReady: () => Promise<void>, version: string): void {
  app.get('/health', HIDDEN, async (_request, reply) => {
    const isUp = await checkReady().then(
      () => true,
      () => false,
    );
    const health = { status: isUp ? 'up' : 'down', timestamp: new Date().toISOString() };
    return reply.code(isUp ? 200 : 503).send({ status: health.status, details: { chromium: health } });
  });
  // The version of Gotenberg whose forms are supported, and our own.
  app.get('/version', HIDDEN, async (_request, reply) =>
    reply.type('text/plain; charset=UTF-8').send(`8.37.0+platen.${version}`),
  );
}

function readForms(scope: FastifyInstance, { limits }: GotenbergServices): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    const parts = await readParts(request, (limits.maxAssets ?? 0) + MAX_FIELDS);
    return readGotenbergForm(parts, request.routeOptions.config.gotenbergTarget ?? 'pdf');
  });
}

/** Errors of `work` name the fields of the form. The form itself is not kept meanwhile, because it can be large. */
function withForm(request: FastifyRequest, work: (form: GotenbergForm) => Promise<FastifyReply>): Promise<FastifyReply> {
  const form = takeForm(request);
  const names = withoutFiles(form);
  return work(form).catch((error: unknown) => {
    throw translateError(names, error);
  });
}

function withoutFiles({ values, aliases }: GotenbergForm): SentForm {
  return { values, aliases };
}

async function answer(
  services: GotenbergServices,
  request: FastifyRequest,
  reply: FastifyReply,
  form: GotenbergForm,
  source: GotenbergSource,
  toRender: ToRender,
): Promise<FastifyReply> {
  const [filename, webhook] = [readFilename(request), readWebhook(request)];
  const client = disconnectSignal(reply);
  if (source === 'markdown')
    await convertMarkdown(form, requirePrincipal(request).accountId, services.markdown, client).catch(suggestAssets);
  const render = toRender(services, form, source, storedName(filename));
  if (webhook) return answerLater(services, request, reply, withoutFiles(form), webhook, filename, render);
  return idempotent(
    request,
    services.idempotency,
    async (claim) => {
      const usage = requestUsage(request);
      const rendered = await render({ principal: requirePrincipal(request), client, claim, memory: memoryOfRender(usage) });
      return send(reply, { ...rendered, filename }, await spoolPdf(rendered, usage, services.blobs));
    },
    (remembered, name) => replay(services, remembered, name, request, reply),
  );
}

async function replay(
  { idempotency, documents }: GotenbergServices,
  remembered: Answer,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { keyId } = requirePrincipal(request);
  markReplayed(reply);
  if (remembered.kind === 'document') {
    const document = await documents.find(keyId, remembered.documentId);
    return send(reply, { ...remembered, ...document, type: documentType(document) }, await documents.read(document));
  }
  if (remembered.kind !== 'file') throw resultGone();
  return send(reply, remembered, await idempotency.read({ keyId, name }));
}

/** Merging is not a render, so it is not charged. */
async function answerMerge(
  services: GotenbergServices,
  request: FastifyRequest,
  reply: FastifyReply,
  form: GotenbergForm,
): Promise<FastifyReply> {
  const [files, finishing] = [requirePdfs(form), parseFinishing(form, services)];
  const [filename, webhook] = [readFilename(request), readWebhook(request)];
  const render = (client: AbortSignal) => merge(services, requirePrincipal(request).accountId, files, finishing, client);
  if (webhook)
    return answerLater(services, request, reply, withoutFiles(form), webhook, filename, ({ client }) => render(client));
  const merged = await render(disconnectSignal(reply));
  const usage = requestUsage(request);
  memoryOfRender(usage).makeRoomFor(merged.bytes);
  return send(reply, { ...merged, filename }, await spoolPdf(merged, usage, services.blobs));
}

/** Sorts the files by name, with numbers in numeric order. Throws `invalid_request` if a file is not a PDF by its extension. */
function requirePdfs({ files }: GotenbergForm): GotenbergForm['files'] {
  const other = files.find(({ path }) => !/\.pdf$/i.test(path));
  if (other) throw invalidField(toFileName(other.path), 'must have the extension .pdf: only PDFs can be merged');
  if (!files.length) throw invalidField('', 'no form file found for extensions: [.pdf]');
  const { compare } = new Intl.Collator('en', { numeric: true });
  return files.toSorted((a, b) => compare(a.path, b.path));
}

type MergedFinishing = Pick<FinishPlan, 'metadata' | 'attachments' | 'password'>;

/** Changes to the merged PDF, validated like the options of a render. */
function parseFinishing(form: GotenbergForm, { limits }: GotenbergServices): MergedFinishing {
  return parseRenderRequest({ html: '', options: toMergeOptions(form) }, limits).finish;
}

async function merge(
  { uploadAssembly }: GotenbergServices,
  accountId: string,
  files: GotenbergForm['files'],
  { metadata, attachments, password }: MergedFinishing,
  client: AbortSignal,
): Promise<Rendered> {
  const others = { pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
  const parts = files.map(({ path, content }) => ({ title: path.replace(/\.pdf$/i, ''), content, ...others }));
  const steps = [
    ...(Object.keys(metadata).length ? [{ metadata }] : []),
    ...(attachments.length ? [{ attach: { files: attachments } }] : []),
  ];
  const order = { parts, steps: steps.map((step, number) => ({ number, step })), password };
  const { files: merged } = await uploadAssembly.assemble(accountId, order, client).catch((error: unknown) => {
    if (client.aborted) throw new ServiceError('client_closed', 'the client closed the connection');
    throw namingFile(error, files);
  });
  const chunks = merged.map(({ content: { buffer, byteOffset, byteLength } }) => Buffer.from(buffer, byteOffset, byteLength));
  return { type: PDF, bytes: chunks.reduce((sum, { length }) => sum + length, 0), chunks, remaining: null };
}

/** Names the file of the form in an error about a part. */
function namingFile(error: unknown, files: GotenbergForm['files']): unknown {
  if (!hasCode(error, 'invalid_request')) return error;
  const [{ path, message } = { path: '', message: '' }] = error.members.errors as FieldError[];
  const [, index] = /^parts\[(\d+)\]/.exec(path) ?? [];
  return index === undefined ? error : invalidField(toFileName(files[Number(index)]?.path ?? ''), message);
}

/** Answers 204 at once, and sends the result to the webhook when it is ready. */
function answerLater(
  services: GotenbergServices,
  request: FastifyRequest,
  reply: FastifyReply,
  form: SentForm,
  webhook: WebhookAddresses,
  filename: string | undefined,
  render: Render,
): FastifyReply {
  const { backgroundJobs, budgets, resultUploads, logger } = services;
  const principal = requirePrincipal(request);
  const webhookJob = { uploads: resultUploads, to: webhook, trace: readTrace(request) };
  const held = budgets.memory.open(principal.accountId);
  const memory = { grow: (bytes: number) => held.grow(bytes), makeRoomFor: (bytes: number) => held.resize(bytes) };
  const log = openWorkLog(currentOrigin());
  const work = async (signal: AbortSignal) => {
    try {
      const { type, chunks, bytes } = await retryWhileBusy(
        () => render({ principal, client: signal, claim: undefined, memory }),
        signal,
      );
      held.tryAtLeast(bytes);
      const disposition = attachmentDisposition(filename, type);
      await sendResult(webhookJob, { type, disposition, body: chunks }, signal);
    } catch (error) {
      const problem = toServiceError(translateError(form, error));
      logFailure(logger, request, problem);
      noteResult({ code: problem.code });
      await sendError(webhookJob, problem, signal);
    } finally {
      held.release();
      logger.info({ ...log.origin, ...log.result }, 'background render');
    }
  };
  const job = (signal: AbortSignal) => inWorkLog(log, () => work(signal));
  try {
    held.resize(requestUsage(request).memory.bytes); // the job still uses what the request held
    backgroundJobs.begin(principal.accountId, job);
  } catch (error) {
    held.release();
    throw error;
  }
  return reply.code(204).send();
}

type Facts = Omit<Rendered, 'chunks'> & { filename: string | null | undefined };

function send(reply: FastifyReply, { type, bytes, remaining, filename }: Facts, content: Content): FastifyReply {
  if (remaining !== null) reply.header('platen-quota-remaining', remaining);
  reply.type(type).header('content-length', bytes).header('content-disposition', attachmentDisposition(filename, type));
  return reply.send(Array.isArray(content) ? Buffer.concat(content) : content);
}

function attachmentDisposition(filename: string | null | undefined, type: string): string {
  const extension = `.${type.split('/')[1]}`;
  return toDisposition(filename ?? randomUUID() + extension, extension, 'attachment');
}

/**
 * The name from Gotenberg-Output-Filename, without folders, also of Windows. The name of a PDF always gets `.pdf` appended, even if it
 * ends so already.
 */
function readFilename({ headers, routeOptions }: FastifyRequest): string | undefined {
  const given = headers['gotenberg-output-filename'];
  if (given === undefined || given === '') return undefined;
  const name = Buffer.from(String(given), 'latin1').toString(); // headers hold bytes
  const usable = name.isWellFormed() && !name.includes('\ufffd') ? name : String(given);
  const bare = usable.slice(Math.max(usable.lastIndexOf('/'), usable.lastIndexOf('\\')) + 1);
  if (!isUsableFilename(bare, MAX_CHARACTERS))
    throw invalidField('Gotenberg-Output-Filename', `must be a name of at most ${MAX_CHARACTERS} characters`);
  return routeOptions.config.gotenbergTarget === 'image' ? bare : `${bare}.pdf`;
}

/** The name of the stored document, which is shorter than what clients may send. It keeps the last characters, with the extension. */
function storedName(filename: string | undefined): string | undefined {
  if (filename === undefined || filename.length <= MAX_FILENAME) return filename;
  const end = filename.slice(-4);
  return (filename.slice(0, MAX_FILENAME - end.length) + end).toWellFormed();
}

function takeForm(request: FastifyRequest): GotenbergForm {
  const form = takeBody(request) as GotenbergForm | undefined;
  if (!form) throw new ServiceError('unsupported_media_type', 'send a form as multipart/form-data');
  return form;
}
