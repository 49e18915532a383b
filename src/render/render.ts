/** The recipe of a render: a valid request of a known caller in, a PDF out, charged and stored, or an error and neither. */
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
  /** Counts what the render holds beside its request; absent where that is bounded otherwise. */
  memory?: RenderMemory | undefined;
}

/** Both throw `memory_limited` and `overloaded`. */
export interface RenderMemory {
  grow(bytes: number): void;
  /** The PDF, in place of all that was held so far. */
  makeRoomFor(pdfBytes: number): void;
}

export interface Delivery {
  pdf: RenderedPdf;
  /** Set when it was stored. */
  document: StoredDocument | undefined;
  /** Documents left in the month; null: without limit. */
  remaining: number | null;
}

type Also = NonNullable<Parameters<Allowance['commit']>[1]>;

/** What is to be written in the transaction that charges for the render. */
export interface CommitHook {
  /** Before the transaction. */
  prepare(delivery: Delivery): Promise<void>;
  write(delivery: Delivery, query: Parameters<Also>[0]): Promise<void>;
  /** The transaction did not happen: what `prepare` made is taken back. */
  undo(): Promise<void>;
}

const NOTHING = async () => {};
const NO_HOOK: CommitHook = { prepare: NOTHING, write: NOTHING, undo: NOTHING };

/** `client` aborts when the caller has gone. */
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
    if (request.source.kind === 'template') services.memory?.grow(textBytes(content)); // it may be much larger than its data
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

/** At most: characters have one byte or two. */
function textBytes(content: Content): number {
  return content.kind === 'html' ? 2 * content.html.length : 0;
}

/** Throws `storage_unavailable` when the caller asked for what the plan does not give. */
function isToBeStored({ store }: RenderRequest, { plan, autoStore }: Principal): boolean {
  const possible = plan.retentionMs > 0;
  if (store && !possible)
    throw new ServiceError(
      'storage_unavailable',
      `the plan ${plan.name} does not store documents; send the request without store`,
    );
  return possible && (store ?? autoStore);
}

/** A reservation is settled on every path: by `work`, or here when it fails. */
async function charged<T>(
  allowance: Allowance,
  principal: Principal,
  work: (reservation: Reservation) => Promise<T>,
): Promise<T> {
  const reservation = await allowance.reserve(principal);
  try {
    return await work(reservation);
  } catch (error) {
    await allowance.release(reservation).catch(() => {}); // a database that fails now gives it back when the lease ends
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

/** The charge, the document and what the commit hook writes are one: all of it is written, or nothing. */
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
    // Content that nothing names, and that cannot be removed now, is removed with the orphans.
    await Promise.allSettled([document && documents.discard(document), commitHook.undo()]);
    throw error;
  }
  if (document || commitHook !== NO_HOOK) await documents.settled();
}
