/** Opens PKCS#12 files from callers in a separate process, because they are untrusted and deriving their keys takes time. */
import { ServiceError } from '../errors.ts';
import { type ProcessLimits, ProcessQueue } from '../queue/process-queue.ts';
import type { KeyPair, OpenedPkcs12, Pkcs12Task } from './pkcs12-worker.ts';

/** The limits of processes that read certificates. */
export const LIMITS: Readonly<ProcessLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 15_000,
  timeoutMs: 15_000,
  idleMs: 10_000,
  heapMb: 128,
};

export class Pkcs12Reader {
  readonly #processes: ProcessQueue;

  /** Starts no process yet. */
  constructor(limits: Partial<ProcessLimits> = {}) {
    const work = {
      module: new URL('./pkcs12-worker.ts', import.meta.url),
      libraries: ['asn1js', 'pkijs'],
      flags: ['--openssl-legacy-provider'], // has RC2, with which older programs encrypt
      busy: 'too many certificates are being read',
      outOfTime: (cause: unknown) => unusable('it takes too long to open', cause),
      outOfMemory: (cause: unknown) => unusable('it takes too much memory to open', cause),
    };
    this.#processes = new ProcessQueue(work, { ...LIMITS, ...limits });
  }

  /** The work is queued under `owner`. Throws `certificate_password_wrong`, `certificate_unusable`, `queue_full`. */
  async open(owner: string, task: Pkcs12Task, signal?: AbortSignal): Promise<KeyPair> {
    const opened = (await this.#processes.run(owner, task, signal)) as OpenedPkcs12;
    if ('wrongPassword' in opened)
      throw new ServiceError('certificate_password_wrong', 'password: does not open the PKCS#12 file');
    if ('unusable' in opened) throw unusable(opened.unusable);
    return opened;
  }

  /** Ends all processes. Running, waiting and later work is refused. */
  close(): void {
    this.#processes.close();
  }
}

function unusable(why: string, cause?: unknown): ServiceError {
  return new ServiceError('certificate_unusable', `pkcs12: the certificate cannot be used: ${why}`, { cause });
}
