/**
 * Reports what a render would do without rendering: a valid request in; its source, its allowance and the URLs it would load
 * out. Nothing is rendered, charged, stored or requested.
 */
import { setImmediate } from 'node:timers/promises';
import type { Principal } from '../accounts/accounts.ts';
import type { Allowance } from '../accounts/allowance.ts';
import type { Concurrency } from '../accounts/concurrency.ts';
import type { Content } from '../chromium/load/load-settings.ts';
import type { PrintSettings } from '../chromium/print/print-options.ts';
import { Deadline } from '../deadline.ts';
import type { Documents } from '../documents/documents.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import { type ErrorCode, forOperator, ServiceError } from '../errors.ts';
import { dataUse } from '../templates/data-use.ts';
import type { TemplateFiller } from '../templates/template-filler.ts';
import type { AssemblyServices } from './assembly/assemble.ts';
import type { AssemblyRequest } from './assembly/assembly-request.ts';
import { checkAssembly } from './assembly/check-assembly.ts';
import { documentUrls, inCss } from './document-urls.ts';
import { type LetterheadServices, openLetterhead } from './letterhead.ts';
import { longTableHint } from './long-tables.ts';
import type { LookupLimit } from './lookup-limit.ts';
import { documentsOf, isToBeStored } from './render.ts';
import type { FinishPlan } from './request/finish-options.ts';
import type { PagedPlan } from './request/paged-options.ts';
import type { SourceRequest } from './request/render-request.ts';
import type { SignaturePlan } from './request/signature-options.ts';
import { resolveSource, type SourceServices } from './resolve-source.ts';
import { openSigning, type SigningServices } from './steps/signing.ts';
import { canDivide } from './windows.ts';

export interface DryRunServices extends SourceServices, SigningServices {
  templateFiller: Pick<TemplateFiller, 'fill' | 'describe'>;
  allowance: Allowance;
  documents: Pick<Documents, 'requireRoom' | 'find' | 'read'>;
  letterheads: LetterheadServices['letterheads'];
  concurrency: Pick<Concurrency, 'enter'>;
  policy: Pick<OutboundPolicy, 'findRefusal'>;
  lookupLimit: Pick<LookupLimit, 'take'>;
}

/** `unchecked`: the time for resolving names was over, or the account has reached its limit of lookups per minute. */
type Verdict = 'allowed' | 'refused' | 'unchecked';

export type DryRunRequest = SourceRequest & {
  deliverTo?: { url: string } | undefined;
  print?: PrintSettings;
  paged?: PagedPlan;
  finish?: Partial<FinishPlan> & { signature?: SignaturePlan | undefined };
};

const MAX_URLS = 100;
/** The number of characters of a document that are searched for URLs. */
const MAX_CHARACTERS = 1_000_000;
const MAX_URL_CHARACTERS = 2_048;
const LOOKUPS_AT_ONCE = 8;
const LOOKUP_MS = 5_000;
/** How long a document may block the event loop before other work gets a turn. */
const YIELD_AFTER_MS = 10;

/** Returns the answer of the API. Throws the errors that a render throws before it requests a page of the pool. */
export async function dryRun(services: DryRunServices, request: DryRunRequest, principal: Principal, client: AbortSignal) {
  using deadline = new Deadline(request.timeoutMs, client);
  const leave = services.concurrency.enter(principal);
  try {
    const template = await describeTemplate(services, request, principal);
    const content = await deadline.race(
      resolveSource(request, principal, services, { signal: deadline.signal, hasNamesOnly: true }),
    );
    const { found, isCutOff } = await deadline.race(findUrls(content, request));
    const target = request.deliverTo && new URL(request.deliverTo.url);
    const urls = await deadline.race(judgeUrls([...(target ? [target.href] : []), ...found], services, principal));
    const deliverTo = target && { host: target.host, verdict: urls.shift()?.verdict ?? 'unchecked' };
    const { problems, attempt } = problemList();
    const { documents, stored } = await checkAllowance(services, request, principal, attempt);
    await attempt(() => openSigning(services, request.finish?.signature, principal));
    await attempt(() => openLetterhead(services, request.finish?.letterhead, principal, deadline));
    await attempt(() => requireReachable(content, urls[0]?.verdict, services, principal));
    return {
      dry_run: true,
      would_render: !problems.length,
      problems,
      hints: findHints(content, request),
      source: request.source.kind,
      ...(content.kind === 'html' && { html_bytes: Buffer.byteLength(content.html) }),
      ...(template && { template }),
      plan: principal.plan.name,
      documents,
      charged: !principal.isTest,
      stored,
      urls,
      urls_complete: !isCutOff,
      ...(deliverTo && { deliver_to: deliverTo }),
    };
  } finally {
    leave();
  }
}

type Attempt = <T>(check: () => T | Promise<T>) => Promise<T | undefined>;

function problemList(): { problems: Array<{ code: ErrorCode; detail: string }>; attempt: Attempt } {
  const problems: Array<{ code: ErrorCode; detail: string }> = [];
  const attempt: Attempt = async (check) => {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      problems.push({ code: error.code, detail: error.message });
      return undefined;
    }
  };
  return { problems, attempt };
}

/** Checks the allowance and the room for what is stored. */
async function checkAllowance(
  services: Pick<DryRunServices, 'allowance' | 'documents'>,
  request: Parameters<typeof documentsOf>[0],
  principal: Principal,
  attempt: Attempt,
) {
  const { used } = await services.allowance.usage(principal.accountId);
  await attempt(() => services.allowance.check(principal, documentsOf(request)));
  const stored = (await attempt(() => isToBeStored(request, principal))) ?? false;
  if (stored) await attempt(() => services.documents.requireRoom(principal));
  const limit = principal.plan.documents;
  return { documents: { limit, used, remaining: limit === null ? null : Math.max(0, limit - used) }, stored };
}

/** Opens the parts that exist, and looks for those that are rendered and for what is drawn on pages. */
export async function dryRunAssembly(
  services: DryRunServices & AssemblyServices,
  request: AssemblyRequest,
  principal: Principal,
  client: AbortSignal,
) {
  using deadline = new Deadline(request.timeoutMs, client);
  const leave = services.concurrency.enter(principal);
  try {
    const { problems, attempt } = problemList();
    const { documents, stored } = await checkAllowance(services, request, principal, attempt);
    await attempt(() => checkAssembly(request, services, principal, deadline, services));
    return {
      dry_run: true,
      would_render: !problems.length,
      problems,
      hints: [],
      source: request.source.kind,
      plan: principal.plan.name,
      documents,
      charged: !principal.isTest && request.parts.some(({ from }) => 'request' in from),
      stored,
      urls: [],
      urls_complete: true,
    };
  } finally {
    leave();
  }
}

function findHints(content: Content, { load, print, paged, finish }: DryRunRequest): string[] {
  if (content.kind !== 'html' || !print || !finish) return [];
  const hint = longTableHint(content.html, canDivide({ load, print, paged, finish }));
  return hint === undefined ? [] : [hint];
}

async function describeTemplate({ templateFiller }: DryRunServices, { source }: SourceRequest, reader: Principal) {
  if (source.kind !== 'template') return undefined;
  const { id, version, placeholders } = await templateFiller.describe(reader, source);
  return { template_id: id, version, ...dataUse(placeholders, source.data) };
}

/** The URLs in document order, without duplicates. */
async function findUrls(content: Content, { load }: SourceRequest): Promise<{ found: string[]; isCutOff: boolean }> {
  const found = new Set<string>();
  const isLong = countCharacters(content, load) > MAX_CHARACTERS;
  let since = performance.now();
  for (const url of allUrls(content, load)) {
    if (url !== undefined) found.add(url);
    if (found.size > MAX_URLS) break;
    if (performance.now() - since < YIELD_AFTER_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return { found: [...found].slice(0, MAX_URLS), isCutOff: isLong || found.size > MAX_URLS };
}

function* allUrls(content: Content, { added }: SourceRequest['load']): Generator<string | undefined> {
  const base = content.kind === 'url' ? content.url : content.baseUrl;
  if (content.kind === 'url') yield content.url;
  else yield* documentUrls(content.html.slice(0, MAX_CHARACTERS), base);
  let left = MAX_CHARACTERS - (content.kind === 'html' ? content.html.length : 0);
  for (const { element, from } of added) {
    if ('url' in from) yield from.url;
    else if (element === 'style' && left > 0) {
      yield* inCss(from.content.slice(0, left), base);
      left -= from.content.length;
    }
  }
}

function countCharacters(content: Content, { added }: SourceRequest['load']): number {
  const styles = added.map(({ element, from }) => ('content' in from && element === 'style' ? from.content.length : 0));
  return styles.reduce((sum, length) => sum + length, content.kind === 'html' ? content.html.length : 0);
}

/** Looks up each host once. The verdict does not reveal whether a name does not resolve or resolves to a forbidden address. */
async function judgeUrls(
  found: string[],
  { policy, lookupLimit }: DryRunServices,
  { accountId }: Principal,
): Promise<Array<{ url: string; verdict: Verdict }>> {
  const urls = found.map((url) => new URL(url));
  const hosts = new Map(urls.map((url) => [url.host + url.protocol, url]));
  const verdicts = new Map<string, Verdict>();
  const waiting = [...hosts];
  const late = AbortSignal.timeout(LOOKUP_MS);
  const ended = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
  const lookUp = async () => {
    for (let next = waiting.shift(); next && !late.aborted; next = waiting.shift()) {
      const [name, url] = next;
      if (!lookupLimit.take(accountId)) return;
      const refusal = await policy.findRefusal(url.hostname, effectivePort(url));
      verdicts.set(name, refusal ? 'refused' : 'allowed');
    }
  };
  await Promise.race([Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, lookUp)), ended]);
  return urls.map((url) => ({
    url: url.href.slice(0, MAX_URL_CHARACTERS),
    verdict: verdicts.get(url.host + url.protocol) ?? 'unchecked',
  }));
}

function effectivePort({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** The operator is told which setting decides, as by the render itself. */
async function requireReachable(
  content: Content,
  verdict: Verdict | undefined,
  { policy }: DryRunServices,
  { isOperator }: Principal,
): Promise<void> {
  if (content.kind !== 'url' || verdict !== 'refused') return;
  const detail = 'url: the network policy of this service does not allow this URL';
  if (!isOperator) throw new ServiceError('forbidden_url', detail);
  const url = new URL(content.url);
  const refusal = await policy.findRefusal(url.hostname, effectivePort(url));
  throw forOperator(new ServiceError('forbidden_url', detail, { remedy: refusal?.remedy }));
}
