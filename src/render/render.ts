/**
 * Renders a valid request of an authenticated caller: a PDF or an image out, charged and stored. If it throws, nothing is charged
 * or stored.
 */
import type { Principal } from '../accounts/accounts.ts';
import type { ChargedRenders, Reservation, TransactionHook } from '../accounts/allowance.ts';
import type { Concurrency } from '../accounts/concurrency.ts';
import type { Content } from '../chromium/load/load-settings.ts';
import { Deadline } from '../deadline.ts';
import type { DocumentDraft, Documents, StoredDocument } from '../documents/documents.ts';
import { forOperator, hasCode, ServiceError, storageFailed } from '../errors.ts';
import { phaseSpans, runTraced } from '../tracing.ts';
import { noteDetails, noteFailed, noteRendered } from '../work-log.ts';
import { type AssembledResult, type AssemblyServices, assembleFile } from './assembly/assemble.ts';
import { type AssemblyRequest, makesOnePdf } from './assembly/assembly-request.ts';
import { captureImage, type RenderedImage } from './image.ts';
import { type LetterheadServices, printOnLetterhead } from './letterhead.ts';
import type { PrintEngine, RenderedPdf } from './pdf.ts';
import type { PrintOrder } from './print-order.ts';
import type { RenderOwner } from './render-owner.ts';
import { requireNone } from './report.ts';
import type { ImageRequest } from './request/image-request.ts';
import type { RenderRequest } from './request/render-request.ts';
import { resolveHeld, type SourceServices } from './resolve-source.ts';
import { openSigning, type Signing, type SigningServices } from './steps/signing.ts';
import { imageMark, TEST_WATERMARK } from './steps/test-mark.ts';

export interface RenderServices extends SourceServices, SigningServices, LetterheadServices, Omit<AssemblyServices, 'engine'> {
  engine: PrintEngine;
  documents: Documents;
  allowance: ChargedRenders;
  concurrency: Pick<Concurrency, 'enter'>;
  /** Counts the memory that the render uses in addition to its request. Absent if another limit bounds that memory. */
  memory?: RenderMemory | undefined;
}

/** Counts the memory of a render. Both methods throw `memory_limited` and `overloaded`. */
export interface RenderMemory {
  grow(bytes: number): void;
  /** Counts the PDF instead of everything counted so far. */
  makeRoomFor(pdfBytes: number): void;
}

export interface Delivery {
  file: RenderedPdf | RenderedImage | AssembledResult;
  /** Set if the result was stored. */
  document: StoredDocument | undefined;
  /** Documents left in this month, or null if the plan has no limit. */
  remaining: number | null;
}

/** Further writes in the transaction that charges for the render. */
export interface CommitHook {
  /** Called before the transaction. */
  prepare?(delivery: Delivery): Promise<void>;
  write(delivery: Delivery, query: Parameters<TransactionHook>[0]): Promise<void>;
  /** Called if the transaction failed, to undo `prepare`. */
  undo?(reason: unknown): Promise<void>;
}

/** The time within which working storage has finished a write. */
const STORAGE_MS = 5_000;

export type AnyRequest = RenderRequest | ImageRequest | AssemblyRequest;

/** `client` is aborted when the caller closes the connection. */
export async function render(
  services: RenderServices,
  request: AnyRequest,
  principal: Principal,
  client: AbortSignal,
  commitHook?: CommitHook,
): Promise<Delivery> {
  const { engine, documents, memory } = services;
  const options = 'loggedOptions' in request ? request.loggedOptions : undefined;
  noteDetails({ source: request.source.kind, templateId: readTemplateId(request), options });
  const keep = makesOnePdf(request) && isToBeStored(request, principal);
  if (keep) await documents.requireRoom(principal);
  const deliver = async (file: Delivery['file'], admitted: Admitted) => {
    requireNone(request.failOnWarning, file.report);
    memory?.makeRoomFor(file.bytes);
    const document = keep ? await store(documents, file, request, principal, admitted.deadline) : undefined;
    const delivery = { file, document, remaining: admitted.reservation?.remaining ?? null };
    await runTraced('commit', () => commit(services, delivery, request, principal, admitted, commitHook));
    noteRendered(file);
    noteDetails({ documentId: document?.id });
    return delivery;
  };
  if ('parts' in request)
    return runCharged(services, request, principal, client, async (admitted) =>
      deliver(await assembleFile(request, { services, signing: services, principal, ...admitted }), admitted),
    );
  const signing = 'finish' in request ? await openSigning(services, request.finish.signature, principal) : undefined;
  return runWithContent(services, request, principal, client, async (content, admitted) => {
    const { owner, deadline } = admitted;
    const at = { principal, ...admitted };
    const file = await ('finish' in request
      ? printOnLetterhead(engine, toPrintOrder(request, content, signing, principal), services, at)
      : captureImage(engine, { ...request, content }, owner, deadline, principal.isTest ? imageMark : undefined));
    return deliver(file, admitted);
  });
}

/** The result of a test key has a watermark of its own. */
export function toPrintOrder(
  { load, print, paged, finish }: RenderRequest,
  content: Content,
  signing: Signing | undefined,
  { isTest }: Principal,
): PrintOrder {
  return { content, load, print, paged, finish: isTest ? { ...finish, watermark: TEST_WATERMARK } : finish, signing };
}

/** Returns the violations of the claimed profiles. The document is rendered, but not signed, charged or stored. */
export async function findViolations(
  services: RenderServices,
  request: RenderRequest,
  principal: Principal,
  client: AbortSignal,
): Promise<unknown[]> {
  const opened = await openSigning(services, request.finish.signature, principal);
  const signing = opened && { ...opened, isTrial: true };
  return runWithContent(services, request, principal, client, async (content, admitted) => {
    const { load, print, paged, finish } = request;
    const order = { content, load, print, paged, finish, signing };
    const violations = await printOnLetterhead(services.engine, order, services, { principal, ...admitted }).then(
      () => [],
      (error: unknown) => {
        if (hasCode(error, 'not_conformant')) return error.members.violations as unknown[];
        throw error;
      },
    );
    if (admitted.reservation) await services.allowance.release(admitted.reservation);
    return violations;
  });
}

/** A request that has been admitted to rendering. */
export interface Admitted {
  owner: RenderOwner;
  /** Absent if nothing is charged. */
  reservation: Reservation | undefined;
  deadline: Deadline;
  /** Counts memory. */
  hold(bytes: number): void;
}

/** What a request needs before it is admitted. */
type Prepare<P> = (deadline: Deadline, hold: Admitted['hold']) => Promise<P>;

/** Resolves the source before anything is reserved. */
function runWithContent<T>(
  services: RenderServices,
  request: RenderRequest | ImageRequest,
  principal: Principal,
  client: AbortSignal,
  work: (content: Content, admitted: Admitted) => Promise<T>,
): Promise<T> {
  const resolve: Prepare<Content> = (deadline, hold) => resolveHeld(request, principal, services, deadline, hold);
  return runCharged(services, request, principal, client, (admitted, content) => work(content, admitted), resolve);
}

/** Reserves documents of the allowance for `work`. They are charged only if `work` commits the reservations. */
export async function runCharged<T, P = void>(
  services: RenderServices,
  request: AnyRequest,
  principal: Principal,
  client: AbortSignal,
  work: (admitted: Admitted, prepared: P) => Promise<T>,
  prepare: Prepare<P> = async () => undefined as P,
  documents = documentsOf(request),
): Promise<T> {
  using deadline = new Deadline(request.timeoutMs, client, phaseSpans());
  const leave = services.concurrency.enter(principal);
  try {
    const hold = (bytes: number) => services.memory?.grow(bytes);
    const prepared = await prepare(deadline, hold);
    services.engine.pool.requireRoom(principal.accountId); // a full queue rejects the request before anything is written
    const owner = toOwner(principal);
    return await runReserved(services.allowance, principal, documents, (reservation) =>
      work({ owner, reservation, deadline, hold }, prepared),
    );
  } catch (error) {
    noteFailed(deadline.timingsSoFar());
    throw principal.isOperator ? forOperator(error) : error;
  } finally {
    leave();
  }
}

function toOwner({ keyId, accountId, isOperator, failurePictures, plan }: Principal): RenderOwner {
  return { boundary: keyId, shareOf: accountId, isOperator, ...(failurePictures && { picturesKeptMs: plan.retentionMs }) };
}

/** How many documents a request is charged for: in an assembly, each part that is rendered. */
export function documentsOf({ parts }: Pick<AnyRequest, 'store'> & Partial<Pick<AssemblyRequest, 'parts'>>): number {
  return parts ? parts.filter(({ from }) => 'request' in from).length : 1;
}

/** Whether the result is to be stored. Throws `storage_unavailable` if the request asks for that and the plan stores no documents. */
export function isToBeStored(
  { store, keptMs }: Pick<RenderRequest, 'store' | 'keptMs'>,
  { plan, autoStore }: Principal,
): boolean {
  const possible = (keptMs ?? plan.retentionMs) > 0;
  if (store && !possible)
    throw new ServiceError(
      'storage_unavailable',
      `the plan ${plan.name} does not store documents; send the request without store`,
    );
  return possible && (store ?? autoStore);
}

/** Reserves documents. The reservation is settled on every path: by `work`, or here if something fails. */
async function runReserved<T>(
  allowance: ChargedRenders,
  principal: Principal,
  count: number,
  work: (reservation: Reservation | undefined) => Promise<T>,
): Promise<T> {
  const reservation = count ? await allowance.reserve(principal, count) : undefined;
  try {
    return await work(reservation);
  } catch (error) {
    if (reservation) await allowance.release(reservation).catch(() => {}); // if the database fails now, it ends with its lease
    throw error;
  }
}

async function store(
  documents: Documents,
  file: Delivery['file'],
  request: AnyRequest,
  { plan }: Principal,
  deadline: Deadline,
): Promise<StoredDocument> {
  const { source, filename, metadata, keptMs } = request;
  const { chunks, bytes, report } = file;
  const templateId = readTemplateId(request);
  const shown = 'width' in file ? { pages: 1, image: toStoredImage(file) } : { pages: file.pages ?? 0 };
  const draft = { chunks, bytes, ...shown, report, filename, source: source.kind, templateId, metadata };
  const write = async () => {
    const writing = documents.write(draft, keptMs ?? plan.retentionMs);
    return kept(writing, deadline).catch((error: unknown) => {
      writing.then((late) => documents.discard(late)).catch(() => {}); // the disk was too slow
      throw error;
    });
  };
  return runTraced('store', write, { 'platen.bytes': bytes });
}

function readTemplateId({ source }: AnyRequest): string | undefined {
  return source.kind === 'template' ? source.templateId : undefined;
}

function toStoredImage({ type, width, height }: RenderedImage): NonNullable<DocumentDraft['image']> {
  return { type, width, height };
}

/** Blames the storage for a time-out if it had enough time and did not respond. */
async function kept<T>(writing: Promise<T>, deadline: Deadline): Promise<T> {
  const begun = performance.now();
  try {
    return await deadline.race(writing);
  } catch (error) {
    if (!hasCode(error, 'render_timeout') || performance.now() - begun < STORAGE_MS) throw error;
    throw storageFailed('the storage of the service does not answer', error);
  }
}

/** Writes the charge, the document and the writes of the commit hook in one transaction. */
async function commit(
  { allowance, documents }: RenderServices,
  delivery: Delivery,
  request: AnyRequest,
  principal: Principal,
  { reservation, deadline }: Pick<Admitted, 'reservation' | 'deadline'>,
  commitHook: CommitHook | undefined,
): Promise<void> {
  const { document, file } = delivery;
  const pages = 'width' in file ? 0 : (file.pages ?? 0);
  try {
    if (commitHook?.prepare) await kept(commitHook.prepare(delivery), deadline);
    deadline.throwIfOver();
    await allowance.commit(
      reservation,
      { templateId: readTemplateId(request), pages, bytes: file.bytes },
      async (query) => {
        if (document) await documents.insert(document, principal, query);
        await commitHook?.write(delivery, query);
      },
      document && documents.lockName(principal),
    );
  } catch (error) {
    // A later sweep removes content that no record refers to and that cannot be removed now.
    await Promise.allSettled([document && documents.discard(document, error), commitHook?.undo?.(error)]);
    throw error;
  }
  if (document || commitHook) await documents.flush();
}
