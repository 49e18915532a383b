/**
 * Finds out whether certificates are revoked, so that a signed PDF can say so when their issuers no longer answer: chains of
 * certificates in, the answers of OCSP responders and lists out. The addresses are those in the certificates, under the outbound
 * policy, and what comes back is read in a process of its own.
 */
import { createHash } from 'node:crypto';
import type { Deadline } from '../deadline.ts';
import { ask, Unanswered } from '../egress/ask.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import { ServiceError } from '../errors.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import { type ProcessLimits, ProcessQueue } from '../queue/process-queue.ts';
import type { Answer } from './revocation-answers.ts';
import type { Described, RevocationTask } from './revocation-worker.ts';

/** In DER. */
export interface ValidationData {
  /** Each that is needed, also those of responders. */
  certificates: Buffer[];
  ocspResponses: Buffer[];
  lists: Buffer[];
}

const LIMITS: Readonly<ProcessLimits> = {
  processes: 2,
  maxWaiting: 256,
  waitMs: 15_000,
  timeoutMs: 15_000,
  idleMs: 10_000,
  heapMb: 128,
};
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_SECONDS = 10;
const MAX_OCSP_BYTES = 65_536;
const MAX_LIST_BYTES = 8_388_608;
/** Of all lists of one PDF, which has them in it. */
const MAX_BYTES = 16_777_216;
const MAX_CERTIFICATE_BYTES = 16_384;
/** How long an answer serves, if it is valid for so long; how many are kept, and of which size. */
const KEEP_MS = 600_000;
const [MAX_KEPT, MAX_KEPT_BYTES] = [200, 65_536];
/** What is found may need to be asked about itself. */
const [MAX_ROUNDS, MAX_CERTIFICATES] = [8, 32];
/** How many signatures ask at the same time, how many more of owners who have none, and how many may wait. */
const [PARALLEL, RESERVED, MAX_WAITING] = [4, 2, 256];

/** What is asked for one PDF. */
interface Asking {
  owner: string;
  signal: AbortSignal;
  /** By their addresses. */
  lists: Map<string, Buffer>;
}

interface About {
  certificate: Buffer;
  issuer: Buffer;
  at: number;
}

interface Found {
  ocsp?: Buffer;
  list?: Buffer;
  /** Certificates that are needed to believe it. */
  responders: Buffer[];
  /** When there is something newer, in milliseconds since 1970. */
  until: number;
}

export interface RevocationLimits {
  /** For each request. */
  timeoutMs?: number;
  /** Of all lists of one PDF. */
  maxBytes?: number;
  /** How long an answer serves, if it is valid for so long. */
  keepMs?: number;
}

export class Revocation {
  readonly #policy: OutboundPolicy;
  readonly #timeoutMs: number;
  readonly #maxBytes: number;
  readonly #kept: KeptAnswers;
  readonly #processes: ProcessQueue;
  readonly #queue = new OwnerQueue({ capacity: PARALLEL, reserved: RESERVED, limit: MAX_WAITING, longestMs: 2 * TIMEOUT_MS });

  /** Starts no process yet. */
  constructor(policy: OutboundPolicy, { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, keepMs = KEEP_MS }: RevocationLimits = {}) {
    this.#policy = policy;
    this.#timeoutMs = timeoutMs;
    this.#maxBytes = maxBytes;
    this.#kept = new KeptAnswers(keepMs);
    const work = {
      module: new URL('./revocation-worker.ts', import.meta.url),
      libraries: ['asn1js', 'pkijs'],
      busy: 'too many certificates are being read',
      outOfTime: (cause: unknown) => failed('what their issuers answer takes too long to read', cause),
      outOfMemory: (cause: unknown) => failed('what their issuers answer takes too much memory to read', cause),
    };
    this.#processes = new ProcessQueue(work, LIMITS);
  }

  /** Asks nobody. Throws `certificate_unusable` where a chain does not say whom to ask, and `queue_full`. */
  async requireSources(owner: string, chain: readonly Buffer[], signal?: AbortSignal): Promise<void> {
    const [own, ...above] = await this.#describe(owner, chain, signal);
    if (own?.isRoot) throw unusable('it is signed by itself, so that nobody can say whether it is revoked');
    for (const each of own ? [own, ...above] : []) {
      if (each.isRoot) continue;
      if (each.issuer === undefined && !each.issuers.length)
        throw unusable('its chain ends before a root; upload it with the certificates of its issuers');
      if (!each.isExempt && !each.ocsp.length && !each.lists.length)
        throw unusable('it, or one above it, does not say where to ask whether it is revoked (OCSP, or a list)');
    }
  }

  /**
   * `own` is the chain of whoever signs, and `others` what comes with time stamps. Throws `revocation_failed`, `certificate_unusable`
   * if one of `own` is revoked, `queue_full` and the error of the deadline.
   */
  async collect(
    owner: string,
    { own, others }: { own: readonly Buffer[]; others: readonly Buffer[] },
    deadline: Deadline,
  ): Promise<ValidationData> {
    const leave = await this.#queue.acquire(owner, deadline);
    try {
      return await this.#collect(owner, own, others, deadline.signal);
    } catch (error) {
      deadline.throwIfOver();
      throw error;
    } finally {
      leave();
    }
  }

  /** Whatever an answer brings may need answers of its own. */
  async #collect(owner: string, own: readonly Buffer[], others: readonly Buffer[], signal: AbortSignal): Promise<ValidationData> {
    const [known, isOwn] = [new Known([...own, ...others]), new Known(own)];
    const answered = new Map<Buffer, Found>();
    const asking = { owner, signal, lists: new Map<string, Buffer>() };
    const follow = async (each: Described, certificate: Buffer, issuer: Buffer | undefined): Promise<Buffer[]> => {
      if (each.isRoot) return [];
      if (!issuer) return each.issuers.length ? [await this.#issuerOf(each, signal)] : [];
      if (each.isExempt || answered.has(certificate)) return [];
      const about = { certificate, issuer, at: Date.now() };
      const found = await this.#kept.get(about, () => this.#find(each, about, isOwn.has(certificate), asking));
      answered.set(certificate, found);
      return found.responders;
    };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const certificates = known.all;
      const described = await this.#describe(owner, certificates, signal);
      const more: Buffer[] = [];
      for (const [index, each] of described.entries()) {
        const issuer = each.issuer === undefined ? undefined : certificates[each.issuer];
        more.push(...(await follow(each, certificates[index] as Buffer, issuer))); // one by one, so that few lists are in memory
      }
      if (more.filter((each) => known.add(each)).length) continue;
      requireIssuers(described);
      return dataOf(known, answered);
    }
    throw failed('the certificates of their issuers have no end');
  }

  async #issuerOf({ issuers }: Described, signal: AbortSignal): Promise<Buffer> {
    const common = { accept: 'application/pkix-cert', maxBytes: MAX_CERTIFICATE_BYTES, timeoutMs: this.#timeoutMs, signal };
    return firstOf(issuers, (url) => ask(this.#policy, { ...common, url }));
  }

  /** By OCSP, whose answers are small and new, and else by a list. */
  async #find(each: Described, about: About, isOwn: boolean, asking: Asking): Promise<Found> {
    const read = async (what: 'ocsp' | 'list', bytes: Buffer): Promise<Found> => {
      const answer = (await this.#run(asking.owner, { what, ...about, answer: bytes }, asking.signal)) as Answer | Unreadable;
      if ('unreadable' in answer) throw new Unanswered('sent something that cannot be read');
      if ('fault' in answer) throw new Unanswered(answer.fault);
      if ('revokedAt' in answer) throw isOwn ? revoked(answer.revokedAt) : failed('one that comes with a time stamp is revoked');
      const responders = answer.responders.map((responder) => Buffer.from(responder));
      return { [what]: bytes, responders, until: answer.until ?? about.at };
    };
    return firstOf([...each.ocsp, ...each.lists], async (url, index) =>
      index < each.ocsp.length
        ? read('ocsp', await this.#askOcsp(url, each.request, asking))
        : read('list', await this.#fetchList(url, asking)),
    );
  }

  #askOcsp(url: URL, request: Uint8Array | undefined, { signal }: Asking): Promise<Buffer> {
    const body = request && { type: 'application/ocsp-request', bytes: request };
    const accept = 'application/ocsp-response';
    return ask(this.#policy, { url, body, accept, maxBytes: MAX_OCSP_BYTES, timeoutMs: this.#timeoutMs, signal });
  }

  /** Once for all certificates of a PDF: it is of all that an issuer has issued. */
  async #fetchList(url: URL, { lists, signal }: Asking): Promise<Buffer> {
    const known = lists.get(url.href);
    if (known) return known;
    const limits = { maxBytes: MAX_LIST_BYTES, timeoutMs: this.#timeoutMs };
    const fetched = await ask(this.#policy, { url, accept: 'application/pkix-crl', ...limits, signal });
    lists.set(url.href, fetched);
    if ([...lists.values()].reduce((sum, { length }) => sum + length, 0) > this.#maxBytes)
      throw failed(`the lists of their issuers have more than ${this.#maxBytes} bytes in all`);
    return fetched;
  }

  async #describe(owner: string, certificates: readonly Buffer[], signal?: AbortSignal): Promise<Described[]> {
    const described = (await this.#run(owner, { what: 'describe', certificates: [...certificates] }, signal)) as
      | Described[]
      | Unreadable;
    if ('unreadable' in described) throw failed('one of them cannot be read');
    return described;
  }

  #run(owner: string, task: RevocationTask, signal?: AbortSignal): Promise<unknown> {
    return this.#processes.run(owner, task, signal);
  }

  /** What runs or waits is refused, and so is what comes later. */
  close(): void {
    this.#processes.close();
  }
}

interface Unreadable {
  unreadable: true;
}

/** Certificates, each once, in the order in which they came. */
class Known {
  readonly #byDigest = new Map<string, Buffer>();

  constructor(certificates: readonly Buffer[]) {
    for (const each of certificates) this.add(each);
  }

  get all(): Buffer[] {
    return [...this.#byDigest.values()];
  }

  has(certificate: Buffer): boolean {
    return this.#byDigest.has(digestOf(certificate));
  }

  /** Whether it is new. */
  add(certificate: Buffer): boolean {
    const digest = digestOf(certificate);
    if (this.#byDigest.has(digest)) return false;
    if (this.#byDigest.size >= MAX_CERTIFICATES) throw failed('there are too many of them');
    this.#byDigest.set(digest, certificate);
    return true;
  }
}

function digestOf(...contents: Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('base64');
}

/** What the first address answers that gives an answer; the fault is that of the last. */
async function firstOf<T>(addresses: string[], get: (url: URL, index: number) => Promise<T>): Promise<T> {
  let last: unknown = failed('one of them does not say where to ask');
  for (const [index, address] of addresses.entries()) {
    const url = new URL(address);
    try {
      return await get(url, index);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      last = failed(`${url.host} ${error.message}`, error);
    }
  }
  throw last;
}

/** Documents of a batch are signed with the same certificates. An answer was checked against the issuer, so that it is good for everybody. */
class KeptAnswers {
  readonly #keepMs: number;
  /** The oldest first. */
  readonly #found = new Map<string, Found>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** What was found for this certificate, or is found now. */
  async get(about: About, find: () => Promise<Found>): Promise<Found> {
    const key = digestOf(about.certificate, about.issuer);
    const known = this.#found.get(key);
    if (known && about.at < known.until) return known;
    const found = await find();
    this.#found.delete(key);
    const answer = found.ocsp ?? found.list;
    if (answer && answer.length > MAX_KEPT_BYTES) return found;
    this.#found.set(key, { ...found, until: Math.min(found.until, about.at + this.#keepMs) });
    const [oldest] = this.#found.keys();
    if (this.#found.size > MAX_KEPT && oldest !== undefined) this.#found.delete(oldest);
    return found;
  }
}

function requireIssuers(described: Described[]): void {
  if (described.some(({ isRoot, issuer }) => !isRoot && issuer === undefined))
    throw failed('the certificate of an issuer is missing, and is not where it should be');
}

function dataOf(known: Known, answered: Map<Buffer, Found>): ValidationData {
  const found = [...answered.values()];
  const distinct = (all: Array<Buffer | undefined>) => new Known(all.filter((each) => each !== undefined)).all;
  return {
    certificates: known.all,
    ocspResponses: distinct(found.map(({ ocsp }) => ocsp)),
    lists: distinct(found.map(({ list }) => list)),
  };
}

function unusable(why: string): ServiceError {
  return new ServiceError('certificate_unusable', `options.signature.level: the certificate cannot sign at this level: ${why}`);
}

function revoked(at: number | undefined): ServiceError {
  const since = at === undefined ? '' : ` since ${new Date(at).toISOString()}`;
  return new ServiceError('certificate_unusable', `options.signature.certificate: it, or one above it, is revoked${since}`);
}

function failed(what: string, cause?: unknown): ServiceError {
  const detail = `options.signature.level: whether the certificates are revoked cannot be found out: ${what}`;
  return new ServiceError('revocation_failed', detail, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
