/** Sends requests with an Idempotency-Key, repeats them, and expects the same reply every time. */
import { expect } from 'vitest';
import type { Problem, TemplateRecord } from '../support/client.ts';
import { sha256 } from '../support/sha256.ts';
import { type Account, type Ledger, mayBeOver, type Named, type Reply } from './ledger.ts';
import { type Load, send, textOf } from './load.ts';
import { pick } from './random.ts';

export async function sendNewName(load: Load, account: Account): Promise<void> {
  const { named } = load.ledger;
  const kind = pick(['document', 'document', 'pdf', 'template'] as const, load.random);
  const name = `${kind}-${load.worker}-${named.length}`;
  const request: Named = { name, account, kind, result: undefined, unheard: false };
  named.push(request);
  await sendNamed(load, request);
}

export async function sendUnansweredName(load: Load): Promise<void> {
  const unanswered = load.ledger.unanswered();
  if (unanswered.length) await sendNamed(load, pick(unanswered, load.random));
}

export async function sendAnyName(load: Load): Promise<void> {
  const { named } = load.ledger;
  if (named.length) await sendNamed(load, pick(named, load.random));
}

/** Records the first reply. Every later one must be the same, marked as a replay, or report that the result is gone. */
export async function sendNamed(load: Load, request: Named): Promise<void> {
  const { account, kind, name, result } = request;
  const wasDeleted = load.ledger.documents.get(result ?? '')?.state === 'deleted';
  const reply = await send(load, account, 'POST', ...bodyOf(request), { 'idempotency-key': name });
  if (!reply || (result === undefined && isStillRunning(reply))) return;
  if (reply.status >= 400) return expectGone(load.ledger, request, reply);
  const isReplay = reply.headers.has('idempotency-replayed');
  expect(isReplay || result === undefined, `${name} was answered before`).toBe(true);
  expect(wasDeleted, `${name} is back`).toBe(false);
  expect(reply.status).toBe(kind === 'pdf' ? 200 : 201);
  if (!isReplay) account.answered += Number(kind !== 'template');
  else if (result === undefined) request.unheard = true;
  const now = resultOf(load.ledger, request, reply);
  expect(now ?? request.result).toBe(request.result ?? now);
  request.result ??= now;
}

function bodyOf({ kind, name }: Named): [path: string, body: object] {
  const html = `<p>${name}`;
  if (kind === 'template') return ['/v1/templates', { name, html }];
  return ['/v1/pdf', { html, filename: `${name}.pdf`, store: kind === 'document' }];
}

/** The lease of a killed process has not ended yet, or another worker sends the same request. */
function isStillRunning({ status, bytes }: Reply): boolean {
  return status === 409 && bytes !== undefined && (JSON.parse(bytes.toString()) as Problem).code === 'idempotency_running';
}

/** A reply that cannot be repeated, because the document was deleted or the plan keeps it for two seconds. */
function expectGone(ledger: Ledger, request: Named, reply: Reply): void {
  if (!reply.bytes) return;
  const { code } = JSON.parse(reply.bytes.toString()) as Problem;
  const document = ledger.documents.get(request.result ?? '');
  const deleted = document !== undefined && document.state !== 'kept';
  const possible = request.account.name === 'short' ? ['document_expired', 'idempotency_result_gone'] : [];
  // The document was found in a list and deleted before this request had its reply.
  if (deleted || (request.kind === 'document' && !document)) possible.push('document_deleted');
  expect(possible, `${request.name}: ${textOf(reply)}`).toContain(code);
  if (code === 'document_expired' && document) expect(mayBeOver(document)).toBe(true);
  request.result ??= 'gone';
}

function resultOf(ledger: Ledger, { account, kind, name }: Named, reply: Reply): string | undefined {
  if (kind === 'document') return ledger.keep(account, `${name}.pdf`, reply).id;
  if (!reply.bytes) return undefined;
  if (kind === 'pdf') return sha256(reply.bytes);
  return (JSON.parse(reply.bytes.toString()) as TemplateRecord).template_id;
}
