/**
 * The routes of Gotenberg, for its clients (PLATEN_GOTENBERG_ROUTES): forms in, PDFs and images out. Each form is translated into the
 * equivalent request of `/v1` and handled in the same way.
 */
import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { documentType } from '../documents/documents.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import { invalidField, ServiceError } from '../errors.ts';
import { toDisposition } from '../http/replies/disposition.ts';
import { type Content, memoryOfRender, spoolPdf } from '../http/replies/spool-pdf.ts';
import { idempotent, markReplayed } from '../http/requests/idempotent.ts';
import { requestUsage, takeBody } from '../http/requests/request-memory.ts';
import { readParts } from '../http/requests/source-bodies.ts';
import type { RouteServices } from '../http/routes/services.ts';
import { requirePrincipal } from '../http/server/authenticate.ts';
import { disconnectSignal } from '../http/server/client-disconnect.ts';
import { logFailure } from '../http/server/log-failure.ts';
import { toServiceError } from '../http/server/problem.ts';
import { RENDERS } from '../http/server/rate-limit.ts';
import { type Answer, resultGone } from '../idempotency/idempotency.ts';
import type { Markdown } from '../markdown/markdown.ts';
import { suggestAssets } from '../render/request/values/document-size.ts';
import { isUsableFilename, MAX_FILENAME } from '../render/request/values/filename.ts';
import type { ResultUploads } from '../webhooks/result-uploads.ts';
import { currentOrigin, inWorkLog, noteDetails, noteResult, openWorkLog } from '../work-log.ts';
import { type BackgroundJobs, retryWhileBusy } from './background.ts';
import { changePdfs } from './changes/change-pdfs.ts';
import { createCredentialReader } from './credentials.ts';
import { addDownloads } from './downloads.ts';
import { readTrace, traceHeaders } from './errors.ts';
import { translateError } from './field-names.ts';
import { type GotenbergSource, readGotenbergForm } from './form.ts';
import { PDF_ROUTES, type PdfRoute, type PdfRouteName, type RouteKind } from './known-fields.ts';
import { convertMarkdown } from './markdown.ts';
import { imageRender, pdfRender, type Render, type Rendered, type ToRender } from './render.ts';
import { type GotenbergForm, type SentForm, withoutFolders } from './sent-form.ts';
import { readWebhook, sendError, sendResult, type WebhookAddresses } from './webhook.ts';

export interface GotenbergServices extends RouteServices {
  markdown: Markdown;
  resultUploads: ResultUploads;
  policy: OutboundPolicy;
  backgroundJobs: BackgroundJobs;
  gotenbergWebhooks: GotenbergRouteOptions['gotenbergWebhooks'];
}

export interface GotenbergRouteOptions {
  gotenbergRoutes: 'on' | 'off';
  /** When a request with a webhook is answered: at once, or after its result was sent. */
  gotenbergWebhooks: 'async' | 'sync';
  /** The API key of requests without credentials. Empty if they have none. */
  gotenbergKey: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    gotenbergTarget?: RouteKind;
    gotenbergSource?: GotenbergSource | undefined;
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
    const routeConfig = (gotenbergTarget: RouteKind, gotenbergSource?: GotenbergSource) => ({
      ...RENDERS,
      ...{ gotenbergTarget, gotenbergSource },
      secretOf: createCredentialReader(gotenbergKey),
    });
    scope.addHook('onRequest', async (request, reply) => void reply.headers(traceHeaders(readTrace(request))));
    readForms(scope, services);
    for (const source of SOURCES) {
      scope.post(`/forms/chromium/convert/${source}`, { ...FORM, config: routeConfig('pdf', source) }, (request, reply) =>
        withForm(services, request, reply, (form) => answer(services, request, reply, form, source, pdfRender)),
      );
      scope.post(`/forms/chromium/screenshot/${source}`, { ...FORM, config: routeConfig('image', source) }, (request, reply) =>
        withForm(services, request, reply, (form) => answer(services, request, reply, form, source, imageRender)),
      );
    }
    for (const name of Object.keys(PDF_ROUTES) as PdfRouteName[])
      for (const path of [`/forms/pdfengines/${name}`, `/forms/pdf/${name}`])
        scope.post(path, { ...FORM, config: routeConfig(name) }, (request, reply) =>
          withForm(services, request, reply, (form) => answerChange(services, request, reply, form, name)),
        );
  });
}

/** `/health` and `/version`, which require no key. */
export function gotenbergSystemRoutes(app: FastifyInstance, checkReady: () => Promise<void>, version: string): void {
  app.get('/health', HIDDEN, async (request, reply) => {
    const isUp = await checkReady().then(
      () => true,
      () => false,
    );
    const health = { status: isUp ? 'up' : 'down', timestamp: new Date().toISOString() };
    return reply
      .headers(traceHeaders(readTrace(request)))
      .code(isUp ? 200 : 503)
      .send({ status: health.status, details: { chromium: health } });
  });
  // The version of Gotenberg whose forms are supported, and our own.
  app.get('/version', HIDDEN, async (request, reply) =>
    reply
      .headers(traceHeaders(readTrace(request)))
      .type('text/plain; charset=UTF-8')
      .send(`8.37.0+platen.${version}`),
  );
}

function readForms(scope: FastifyInstance, { limits }: GotenbergServices): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    const parts = await readParts(request, (limits.maxAssets ?? 0) + MAX_FIELDS);
    const { gotenbergTarget = 'pdf', gotenbergSource } = request.routeOptions.config;
    return readGotenbergForm(parts, gotenbergTarget, gotenbergSource);
  });
}

/** Errors of `work` name the fields of the form. The form itself is not kept meanwhile, because it can be large. */
function withForm(
  services: GotenbergServices,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (form: GotenbergForm) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const form = takeForm(request);
  const names = withoutFiles(form);
  return download(services, request, reply, form)
    .then(() => work(form))
    .catch((error: unknown) => {
      throw translateError(names, error);
    });
}

async function download(
  { policy, limits }: GotenbergServices,
  request: FastifyRequest,
  reply: FastifyReply,
  form: GotenbergForm,
): Promise<void> {
  if (!form.values.has('downloadFrom')) return;
  const { memory } = requestUsage(request);
  const room = {
    maxBytes: limits.maxAssetsBytes ?? 0,
    signal: disconnectSignal(reply),
    hold: (bytes: number) => memory.grow(bytes),
  };
  await addDownloads(form, policy, room);
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

async function answerChange(
  services: GotenbergServices,
  request: FastifyRequest,
  reply: FastifyReply,
  form: GotenbergForm,
  name: PdfRouteName,
): Promise<FastifyReply> {
  const [filename, webhook] = [readFilename(request), readWebhook(request)];
  const change = changePdfs(services, form, name);
  if (webhook) return answerLater(services, request, reply, withoutFiles(form), webhook, filename, change);
  const usage = requestUsage(request);
  const call = { principal: requirePrincipal(request), client: disconnectSignal(reply), claim: undefined };
  const changed = await change({ ...call, memory: memoryOfRender(usage) });
  return send(reply, { ...changed, filename }, await spoolPdf(changed, usage, services.blobs));
}

/** Sends the result to the webhook when it is ready. Answers 204, at once if webhooks are asynchronous. */
async function answerLater(
  services: GotenbergServices,
  request: FastifyRequest,
  reply: FastifyReply,
  form: SentForm,
  webhook: WebhookAddresses,
  filename: string | undefined,
  render: Render,
): Promise<FastifyReply> {
  const { backgroundJobs, budgets, resultUploads, logger, requestLog, gotenbergWebhooks } = services;
  const principal = requirePrincipal(request);
  const webhookJob = { uploads: resultUploads, to: webhook, trace: readTrace(request) };
  const held = budgets.memory.open(principal.accountId);
  const memory = { grow: (bytes: number) => held.grow(bytes), makeRoomFor: (bytes: number) => held.resize(bytes) };
  const log = openWorkLog(currentOrigin());
  const begun = performance.now();
  const work = async (signal: AbortSignal) => {
    try {
      const { type, chunks, bytes, name } = await retryWhileBusy(
        () => render({ principal, client: signal, claim: undefined, memory }),
        signal,
      );
      held.tryAtLeast(bytes);
      const disposition = attachmentDisposition(filename, type, name);
      await sendResult(webhookJob, { type, disposition, body: chunks }, signal);
    } catch (error) {
      const problem = toServiceError(translateError(form, error));
      logFailure(logger, request, problem);
      noteResult({ code: problem.code });
      noteDetails({ error: problem });
      await sendError(webhookJob, problem, signal);
    } finally {
      held.release();
      logger.info({ ...log.origin, ...log.result }, 'background render');
      const milliseconds = Math.round(performance.now() - begun);
      requestLog.note(principal.keyId, log, { endpoint: request.routeOptions.url ?? '', milliseconds });
    }
  };
  const job = (signal: AbortSignal) => inWorkLog(log, () => work(signal));
  let end: Promise<void>;
  try {
    held.resize(requestUsage(request).memory.bytes); // the job still uses what the request held
    end = backgroundJobs.begin(principal.accountId, job);
  } catch (error) {
    held.release();
    throw error;
  }
  if (gotenbergWebhooks === 'sync') await end;
  return reply.code(204).send();
}

type Facts = Omit<Rendered, 'chunks'> & { filename: string | null | undefined };

function send(reply: FastifyReply, { type, bytes, remaining, filename, name }: Facts, content: Content): FastifyReply {
  if (remaining !== null) reply.header('platen-quota-remaining', remaining);
  const disposition = attachmentDisposition(filename, type, name);
  reply.type(type).header('content-length', bytes).header('content-disposition', disposition);
  return reply.send(Array.isArray(content) ? Buffer.concat(content) : content);
}

/** `own` is the name that the result has without one in the request. */
function attachmentDisposition(filename: string | null | undefined, type: string, own?: string): string {
  const extension = own === undefined ? `.${type.split('/')[1]}` : extname(own);
  const isOther = !/^image\/|\/pdf$/.test(type);
  const name = isOther ? filename?.replace(/\.pdf$/, extension) : filename;
  return toDisposition(name ?? own ?? randomUUID() + extension, extension, 'attachment');
}

/**
 * The name from Gotenberg-Output-Filename, without folders, also of Windows. The name of a PDF always gets `.pdf` appended, even if it
 * ends so already. That of an image gets its extension unless it has one.
 */
function readFilename({ headers, routeOptions }: FastifyRequest): string | undefined {
  const given = headers['gotenberg-output-filename'];
  if (given === undefined || given === '') return undefined;
  const name = Buffer.from(String(given), 'latin1').toString(); // headers hold bytes
  const usable = name.isWellFormed() && !name.includes('\ufffd') ? name : String(given);
  const bare = withoutFolders(usable);
  if (!isUsableFilename(bare, MAX_CHARACTERS))
    throw invalidField('Gotenberg-Output-Filename', `must be a name of at most ${MAX_CHARACTERS} characters`);
  return isImageRoute(routeOptions.config.gotenbergTarget) ? bare : `${bare}.pdf`;
}

function isImageRoute(kind: RouteKind | undefined): boolean {
  if (kind === undefined || kind === 'pdf') return false;
  return kind === 'image' || (PDF_ROUTES[kind] as PdfRoute).images !== undefined;
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
