/** Renders for an account: a valid request of a known caller in, a PDF out. It is charged and stored only if it succeeds. */
import type { Principal } from '../accounts/accounts.ts';
import type { Allowance, Reservation } from '../accounts/allowance.ts';
import type { Concurrency } from '../accounts/concurrency.ts';
import type { Content } from '../chromium/load/load-settings.ts';
import { Deadline } from '../deadline.ts';
import type { Documents, StoredDocument } from '../documents/documents.ts';
import { ServiceError } from '../errors.ts';
import type { Templates } from '../templates/templates.ts';
import { type PrintEngine, printContent, type RenderedPdf } from './print-content.ts';
import type { RenderRequest } from './render-request.ts';
import { requireNone } from './report.ts';
import { resolveSource } from './resolve-source.ts';

export interface RenderServices {
  engine: PrintEngine;
  templates: Templates;
  documents: Documents;
  allowance: Allowance;
  concurrency: Pick<Concurrency, 'enter'>;
  /** Counts the memory of the render besides its request. Absent if another limit bounds that memory. */
  memory?: RenderMemory | undefined;
}

/** Both throw `memory_limited` and `overloaded`. */
export interface RenderMemory {
  grow(bytes: number): void;
  /** Counts the PDF in place of everything counted so far. */
  makeRoomFor(pdfBytes: number): void;
}

export interface Delivery {
  pdf: RenderedPdf;
  /** Set if the PDF was stored. */
  document: StoredDocument | undefined;
  /** Documents left in this month, or null if the plan has no limit. */
  remaining: number | null;
}

type Also = NonNullable<Parameters<Allowance['commit']>[1]>;

/** Work that belongs to the transaction that charges for the render. */
export interface CommitHook {
  /** Runs before the transaction. */
  prepare(delivery: Delivery): Promise<void>;
  write(delivery: Delivery, query: Parameters<Also>[0]): Promise<void>;
  /** Undoes `prepare` when the transaction did not happen. */
  undo(): Promise<void>;
}

const NOTHING = async () => {};
const NO_HOOK: CommitHook = { prepare: NOTHING, write: NOTHING, undo: NOTHING };

/** `client` is aborted when the caller closes the connection. */
export async function render(
  services: RenderServices,
  request: RenderRequest,
  principal: Principal,
  client: AbortSignal,
  commitHook: CommitHook = NO_HOOK,
): Promise<Delivery> {
  const keep = isToBeStored(request, principal);
  using deadline = new Deadline(request.timeoutMs, client);
  const leave = services.concurrency.enter(principal);
  try {
    const content = await deadline.race(resolveSource(request, principal, services.templates, deadline.signal));
    if (request.source.kind === 'template') services.memory?.grow(textBytes(content)); // may be much larger than the data
    services.engine.pool.requireRoom(principal.accountId); // a full queue refuses at once, before anything is written
    return await charged(services.allowance, principal, async (reservation) => {
      const { load, print, finish } = request;
      const owner = { boundary: principal.keyId, shareOf: principal.accountId };
      const pdf = await printContent(services.engine, { content, load, print, finish }, owner, deadline);
      requireNone(request.failOnWarning, pdf.report);
      services.memory?.makeRoomFor(pdf.bytes);
      const document = keep ? await store(services.documents, pdf, request, principal, deadline) : undefined;
      const delivery = { pdf, document, remaining: reservation.remaining };
      await settle(services, delivery, reservation, principal, deadline, commitHook);
      return delivery;
    });
  } finally {
    leave();
  }
}

/** An upper bound: V8 stores a character in one or two bytes. */
function textBytes(content: Content): number {
  return content.kind === 'html' ? 2 * content.html.length : 0;
}

/** Throws `storage_unavailable` if the request asks to store the PDF and the plan does not store documents. */
function isToBeStored({ store }: RenderRequest, { plan, autoStore }: Principal): boolean {
  const possible = plan.retentionMs > 0;
  if (store && !possible)
    throw new ServiceError(
      'storage_unavailable',
      `the plan ${plan.name} does not store documents; send the request without store`,
    );
  return possible && (store ?? autoStore);
}

/** Settles the reservation on every path: `work` does it on success, this function on failure. */
async function charged<T>(
  allowance: Allowance,
  principal: Principal,
  work: (reservation: Reservation) => Promise<T>,
): Promise<T> {
  const reservation = await allowance.reserve(principal);
  try {
    return await work(reservation);
  } catch (error) {
    await allowance.release(reservation).catch(() => {}); // if the database fails now, the reservation ends with its lease
    throw error;
  }
}

async function store(
  documents: Documents,
  { chunks, bytes, pages, report }: RenderedPdf,
  { source, filename }: RenderRequest,
  { plan }: Principal,
  deadline: Deadline,
): Promise<StoredDocument> {
  const templateId = source.kind === 'template' ? source.templateId : undefined;
  const draft = { chunks, bytes, pages, report, filename, source: source.kind, templateId };
  const writing = documents.write(draft, plan.retentionMs);
  return deadline.race(writing).catch((error: unknown) => {
    writing.then((late) => documents.discard(late)).catch(() => {}); // the disk was too slow
    throw error;
  });
}

/** One transaction writes the charge, the document and the data of the commit hook: all of it or nothing. */
async function settle(
  { allowance, documents }: RenderServices,
  delivery: Delivery,
  reservation: Reservation,
  principal: Principal,
  deadline: Deadline,
  commitHook: CommitHook,
): Promise<void> {
  const { document } = delivery;
  try {
    await deadline.race(commitHook.prepare(delivery));
    deadline.throwIfOver();
    await allowance.commit(reservation, async (query) => {
      if (document) await documents.insert(document, principal, query);
      await commitHook.write(delivery, query);
    });
  } catch (error) {
    // A later sweep removes content that no record refers to and that cannot be removed now.
    await Promise.allSettled([document && documents.discard(document), commitHook.undo()]);
    throw error;
  }
  if (document || commitHook !== NO_HOOK) await documents.settled();
}
