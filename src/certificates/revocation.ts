/**
 * Checks whether certificates are revoked, so that a signed PDF can contain the proof when their issuers no longer answer:
 * certificate chains in, OCSP responses and CRLs out. The URLs come from the certificates and are subject to the outbound policy.
 * Answers are read in a separate process.
 */
import { createHash } from 'node:crypto';
import type { Deadline } from '../deadline.ts';
import { type FetchOptions, fetchBytes, NoResponseError } from '../egress/fetch-bytes.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import { ServiceError } from '../errors.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import { ProcessQueue } from '../queue/process-queue.ts';
import { LIMITS } from './pkcs12-reader.ts';
import type { RevocationStatus } from './revocation-status.ts';
import type { RevocationTask, StatusSources } from './revocation-worker.ts';

/** The validation data of a signature, in DER. */
export interface ValidationData {
  /** All certificates that are needed, including those of OCSP responders. */
  certificates: Buffer[];
  ocspResponses: Buffer[];
  crls: Buffer[];
}

const TIMEOUT_MS = 10_000;
const RETRY_AFTER_SECONDS = 10;
const MAX_OCSP_BYTES = 65_536;
const MAX_CRL_BYTES = 8_388_608;
/** Maximum total size of the CRLs of one PDF, which are embedded in it. */
const MAX_BYTES = 16_777_216;
const MAX_CERTIFICATE_BYTES = 16_384;
/** How long an answer is reused if it stays valid; how many answers are cached, and their maximum size. */
const KEEP_MS = 600_000;
const [MAX_KEPT, MAX_KEPT_BYTES] = [200, 65_536];
/** Certificates that are found in one round are checked in the next. */
const [MAX_ROUNDS, MAX_CERTIFICATES] = [8, 32];
/** How many signatures are checked at the same time, how many more for owners that have none, and how many may wait. */
const [PARALLEL, RESERVED, MAX_WAITING] = [4, 2, 256];

/** The requests for one PDF. */
interface CheckContext {
  owner: string;
  signal: AbortSignal;
  /** CRLs by URL. */
  crls: Map<string, Buffer>;
}

interface RevocationQuery {
  certificate: Buffer;
  issuer: Buffer;
  at: number;
}

interface StatusResult {
  ocsp?: Buffer;
  crl?: Buffer;
  /** Certificates that are needed to verify the answer. */
  responders: Buffer[];
  /** The time of the next update, in milliseconds since 1970. */
  until: number;
}

export interface RevocationLimits {
  /** The timeout of each request. */
  timeoutMs?: number;
  /** Maximum total size of the CRLs of one PDF. */
  maxBytes?: number;
  /** How long an answer is reused if it stays valid. */
  keepMs?: number;
}

export class Revocation {
  readonly #policy: OutboundPolicy;
  readonly #limits: Required<RevocationLimits>;
  readonly #cache: AnswerCache;
  readonly #processes: ProcessQueue;
  readonly #queue = new OwnerQueue({ capacity: PARALLEL, reserved: RESERVED, limit: MAX_WAITING, longestMs: 2 * TIMEOUT_MS });

  /** Starts no process yet. */
  constructor(policy: OutboundPolicy, limits: RevocationLimits = {}) {
    this.#policy = policy;
    this.#limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, keepMs: KEEP_MS, ...limits };
    this.#cache = new AnswerCache(this.#limits.keepMs);
    const work = {
      module: new URL('./revocation-worker.ts', import.meta.url),
      libraries: ['asn1js', 'pkijs'],
      busy: 'too many certificates are being read',
      outOfTime: (cause: unknown) => revocationCheckFailed('the answers of their issuers take too long to read', cause),
      outOfMemory: (cause: unknown) => revocationCheckFailed('the answers of their issuers take too much memory to read', cause),
    };
    this.#processes = new ProcessQueue(work, { ...LIMITS, maxWaiting: MAX_WAITING });
  }

  /** Makes no requests. Throws `certificate_unusable` if the chain does not say where to ask, and `queue_full`. */
  async requireSources(owner: string, chain: readonly Buffer[], signal?: AbortSignal): Promise<void> {
    const [own, ...above] = await this.#readSources(owner, chain, signal);
    if (own?.isRoot) throw unusable('it is self-signed, so its revocation status cannot be checked');
    for (const each of own ? [own, ...above] : []) {
      if (each.isRoot) continue;
      if (each.issuer === undefined && !each.issuers.length)
        throw unusable('its chain ends before a root; upload it with the certificates of its issuers');
      if (!each.isExempt && !each.ocsp.length && !each.crls.length)
        throw unusable('it, or a certificate above it, does not say where to ask for its revocation status (OCSP or CRL)');
    }
  }

  /**
   * `own` is the chain of the signer, and `others` are the certificates of time stamps. Throws `revocation_failed`,
   * `certificate_unusable` if one of `own` is revoked, `queue_full` and the error of the deadline.
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

  /** Repeats the checks, because answers bring further certificates that must be checked too. */
  async #collect(owner: string, own: readonly Buffer[], others: readonly Buffer[], signal: AbortSignal): Promise<ValidationData> {
    const [known, isOwn] = [new CertificateSet([...own, ...others]), new CertificateSet(own)];
    const answered = new Map<Buffer, StatusResult>();
    const context = { owner, signal, crls: new Map<string, Buffer>() };
    const follow = async (each: StatusSources, certificate: Buffer, issuer: Buffer | undefined): Promise<Buffer[]> => {
      if (each.isRoot) return [];
      if (!issuer) return each.issuers.length ? [await this.#fetchIssuer(each, signal)] : [];
      if (each.isExempt || answered.has(certificate)) return [];
      const about = { certificate, issuer, at: Date.now() };
      const found = await this.#cache.get(about, () => this.#find(each, about, isOwn.has(certificate), context));
      answered.set(certificate, found);
      return found.responders;
    };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const certificates = known.all;
      const described = await this.#readSources(owner, certificates, signal);
      const more: Buffer[] = [];
      for (const [index, each] of described.entries()) {
        const issuer = each.issuer === undefined ? undefined : certificates[each.issuer];
        more.push(...(await follow(each, certificates[index] as Buffer, issuer))); // one by one, so that few CRLs are in memory
      }
      if (more.filter((each) => known.add(each)).length) continue;
      requireIssuers(described);
      return toValidationData(known, answered);
    }
    throw revocationCheckFailed('the chains of their issuers and responders are too long');
  }

  #fetch(options: Omit<FetchOptions, 'timeoutMs'>): Promise<Buffer> {
    return fetchBytes(this.#policy, { ...options, timeoutMs: this.#limits.timeoutMs });
  }

  #fetchIssuer({ issuers }: StatusSources, signal: AbortSignal): Promise<Buffer> {
    const accept = 'application/pkix-cert';
    return fetchFirst(issuers, (url) => this.#fetch({ url, accept, maxBytes: MAX_CERTIFICATE_BYTES, signal }));
  }

  /** Tries OCSP first, because its answers are small and current, and then the CRLs. */
  async #find(each: StatusSources, about: RevocationQuery, isOwn: boolean, context: CheckContext): Promise<StatusResult> {
    const read = async (what: 'ocsp' | 'crl', bytes: Buffer): Promise<StatusResult> => {
      const task: RevocationTask = { what, ...about, response: bytes };
      const answer = (await this.#processes.run(context.owner, task, context.signal)) as RevocationStatus | Unreadable;
      if ('unreadable' in answer) throw new NoResponseError('sent something that cannot be read');
      if ('fault' in answer) throw new NoResponseError(answer.fault);
      if ('revokedAt' in answer)
        throw isOwn ? certificateRevoked(answer.revokedAt) : revocationCheckFailed('a certificate of the time stamp is revoked');
      const responders = answer.responders.map((responder) => Buffer.from(responder));
      return { [what]: bytes, responders, until: answer.until ?? about.at };
    };
    return fetchFirst([...each.ocsp, ...each.crls], async (url, index) =>
      index < each.ocsp.length
        ? read('ocsp', await this.#fetchOcspResponse(url, each.request, context))
        : read('crl', await this.#fetchCrl(url, context)),
    );
  }

  #fetchOcspResponse(url: URL, request: Uint8Array | undefined, { signal }: CheckContext): Promise<Buffer> {
    const body = request && { type: 'application/ocsp-request', bytes: request };
    return this.#fetch({ url, body, accept: 'application/ocsp-response', maxBytes: MAX_OCSP_BYTES, signal });
  }

  /** Fetches a CRL once for all certificates of a PDF, because it covers everything that an issuer has issued. */
  async #fetchCrl(url: URL, { crls, signal }: CheckContext): Promise<Buffer> {
    const known = crls.get(url.href);
    if (known) return known;
    const fetched = await this.#fetch({ url, accept: 'application/pkix-crl', maxBytes: MAX_CRL_BYTES, signal });
    crls.set(url.href, fetched);
    if ([...crls.values()].reduce((sum, { length }) => sum + length, 0) > this.#limits.maxBytes)
      throw revocationCheckFailed(`the CRLs of their issuers have more than ${this.#limits.maxBytes} bytes in all`);
    return fetched;
  }

  async #readSources(owner: string, certificates: readonly Buffer[], signal?: AbortSignal): Promise<StatusSources[]> {
    const task: RevocationTask = { what: 'sources', certificates: [...certificates] };
    const described = (await this.#processes.run(owner, task, signal)) as StatusSources[] | Unreadable;
    if ('unreadable' in described) throw revocationCheckFailed('a certificate cannot be read');
    return described;
  }

  /** Ends all processes. Running, waiting and later work is refused. */
  close(): void {
    this.#processes.close();
  }
}

interface Unreadable {
  unreadable: true;
}

/** A set of certificates, in the order in which they were added. */
class CertificateSet {
  readonly #byDigest = new Map<string, Buffer>();

  constructor(certificates: readonly Buffer[]) {
    for (const each of certificates) this.add(each);
  }

  get all(): Buffer[] {
    return [...this.#byDigest.values()];
  }

  has(certificate: Buffer): boolean {
    return this.#byDigest.has(digestContents(certificate));
  }

  /** Returns whether the certificate is new. */
  add(certificate: Buffer): boolean {
    const digest = digestContents(certificate);
    if (this.#byDigest.has(digest)) return false;
    if (this.#byDigest.size >= MAX_CERTIFICATES) throw revocationCheckFailed('there are too many certificates');
    this.#byDigest.set(digest, certificate);
    return true;
  }
}

function digestContents(...contents: Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('base64');
}

/** The first successful answer of the addresses in turn. If all fail, throws the error of the last. */
async function fetchFirst<T>(addresses: string[], get: (url: URL, index: number) => Promise<T>): Promise<T> {
  let last: unknown = revocationCheckFailed('a certificate does not say where to ask');
  for (const [index, address] of addresses.entries()) {
    const url = new URL(address);
    try {
      return await get(url, index);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      last = revocationCheckFailed(`${url.host} ${error.message}`, error);
    }
  }
  throw last;
}

/** Caches answers, because the documents of a batch use the same certificates. They are verified, so owners can share them. */
class AnswerCache {
  readonly #keepMs: number;
  /** The oldest entry comes first. */
  readonly #found = new Map<string, StatusResult>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** The cached answer for this certificate, or the result of `find`. */
  async get(about: RevocationQuery, find: () => Promise<StatusResult>): Promise<StatusResult> {
    const key = digestContents(about.certificate, about.issuer);
    const known = this.#found.get(key);
    if (known && about.at < known.until) return known;
    const found = await find();
    this.#found.delete(key);
    const answer = found.ocsp ?? found.crl;
    if (answer && answer.length > MAX_KEPT_BYTES) return found;
    this.#found.set(key, { ...found, until: Math.min(found.until, about.at + this.#keepMs) });
    const [oldest] = this.#found.keys();
    if (this.#found.size > MAX_KEPT && oldest !== undefined) this.#found.delete(oldest);
    return found;
  }
}

function requireIssuers(described: StatusSources[]): void {
  if (described.some(({ isRoot, issuer }) => !isRoot && issuer === undefined))
    throw revocationCheckFailed('the certificate of an issuer cannot be found');
}

function toValidationData(known: CertificateSet, answered: Map<Buffer, StatusResult>): ValidationData {
  const found = [...answered.values()];
  const distinct = (all: Array<Buffer | undefined>) => new CertificateSet(all.filter((each) => each !== undefined)).all;
  return {
    certificates: known.all,
    ocspResponses: distinct(found.map(({ ocsp }) => ocsp)),
    crls: distinct(found.map(({ crl }) => crl)),
  };
}

function unusable(why: string): ServiceError {
  return new ServiceError('certificate_unusable', `options.signature.level: the certificate cannot sign at this level: ${why}`);
}

function certificateRevoked(at: number | undefined): ServiceError {
  const since = at === undefined ? '' : ` since ${new Date(at).toISOString()}`;
  return new ServiceError(
    'certificate_unusable',
    `options.signature.certificate: the certificate, or one above it, is revoked${since}`,
  );
}

function revocationCheckFailed(what: string, cause?: unknown): ServiceError {
  const detail = `options.signature.level: the revocation status of the certificates cannot be determined: ${what}`;
  return new ServiceError('revocation_failed', detail, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
