/** Finishes PDFs in worker threads: a PDF as the browser printed it in, the finished PDF or a `ServiceError` out. */
import { Piscina } from 'piscina';
import { ServiceError } from '../errors.ts';
import { TaskAbort } from './abort-task.ts';
import type { CompressTask } from './compress-worker.ts';
import type { Split, SplitTask } from './edit/split-documents.ts';
import type { FinishSettings, Letterhead, SignatureField, SignaturePlaceholder, ValidationUpdate } from './finish-settings.ts';
import type { ExtendTask, FinishTask, Written } from './finish-worker.ts';
import type { Merged, MergeTask } from './merge/merge.ts';
import { type Refusal, unlessRefused } from './refusal.ts';

export interface FinisherSettings {
  /** The caller limits how many tasks run at the same time. A task beyond this number waits for a thread. */
  threads: number;
  /** The limit of the JavaScript heap of one thread. The bytes of PDFs are outside the heap and do not count. */
  heapMb: number;
  /** At least 32 bytes that only this service knows. The keys of encrypted PDFs derive from it. */
  secret: Uint8Array;
}

/** The files that the threads run. A thread loads each when it first needs it. */
const FINISHING = new URL('./finish-worker.ts', import.meta.url).href;
const COMPRESSING = new URL('./compress-worker.ts', import.meta.url).href;
const IDLE_MS = 30_000;
/** The size of the pieces in which a finished PDF is returned. They share one buffer. */
const PIECE_BYTES = 1_048_576;

const CANNOT_FINISH = 'the document was printed, but the PDF cannot be finished with these options';
const CANNOT_SPLIT = 'the documents were printed, but cannot be split';
const CANNOT_MERGE = 'the documents cannot be merged into one PDF';

/** A task for a thread, and the buffers that are transferred instead of copied. */
interface Prepared {
  task: FinishTask | MergeTask | ExtendTask | CompressTask | SplitTask;
  transferList: ArrayBuffer[];
}

export class Finisher {
  readonly #secret: Uint8Array;
  readonly #threads: Piscina;
  readonly #running = new Set<TaskAbort>();
  #closed = false;

  /** Does not start a thread. */
  constructor({ threads, heapMb, secret }: FinisherSettings) {
    this.#secret = secret;
    this.#threads = new Piscina({
      filename: FINISHING,
      minThreads: 0,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // A thread failed before or between tasks. If no thread is left, Piscina never settles the tasks that wait for one.
    this.#threads.on('error', (error) => {
      if (!this.#threads.threads.length) for (const stop of this.#running) stop.end(error);
    });
  }

  /** Starts a thread if there is none, so that it is ready when the page has been printed. Never throws. */
  prepare(work: 'finish' | 'compress' = 'finish'): void {
    if (this.#closed || this.#threads.threads.length) return;
    const filename = work === 'compress' ? COMPRESSING : FINISHING;
    this.#threads.run(undefined, { name: 'prepare', filename }).catch(() => {});
  }

  /**
   * Finishes a PDF. The bytes of `pieces` and of attachments are transferred, so that the caller must not use them afterwards. The same
   * pieces (except for the time of printing), settings and secret give the same bytes. Throws `resource_limit`, `print_failed`,
   * `not_conformant`, `invoice_invalid` or the reason of `signal`, once no thread works on the task any more.
   */
  async finish(pieces: Buffer[], settings: FinishSettings, signal: AbortSignal): Promise<Buffer[]> {
    return cut((await this.#finish(pieces, settings, signal)).bytes);
  }

  /** Makes a PDF smaller that needs no other change than a letterhead. Transfers the bytes, and throws, as `finish` does. */
  async compress(pieces: Buffer[], letterhead: Letterhead | undefined, signal: AbortSignal): Promise<Buffer[]> {
    const prepare = () => {
      const task = { pieces: pieces.map(own), letterhead };
      return { task, transferList: listBuffers(task.pieces) };
    };
    return cut((await this.#run('default', prepare, CANNOT_FINISH, signal, COMPRESSING)) as Uint8Array<ArrayBuffer>);
  }

  /** Does the same as `finish`, with a placeholder for a signature. The bytes differ each time. */
  async prepareSignature(
    pieces: Buffer[],
    settings: FinishSettings & { signature: SignatureField },
    signal: AbortSignal,
  ): Promise<{ pieces: Buffer[]; hole: SignaturePlaceholder }> {
    const { bytes, hole } = await this.#finish(pieces, settings, signal);
    if (!hole) throw new Error('the PDF has no room for its signature');
    return { pieces: cut(bytes), hole };
  }

  /** Appends validation data to a signed PDF, whose bytes are transferred. Throws as `finish` does. */
  async extend(
    pieces: Buffer[],
    update: ValidationUpdate,
    signal: AbortSignal,
  ): Promise<{ pieces: Buffer[]; hole: SignaturePlaceholder | undefined }> {
    const prepare = () => {
      const task = { pieces: pieces.map(own), update };
      return { task, transferList: listBuffers(task.pieces) };
    };
    const { bytes, hole } = (await this.#run('extend', prepare, CANNOT_FINISH, signal)) as Written;
    return { pieces: cut(bytes), hole };
  }

  async #finish(pieces: Buffer[], settings: FinishSettings, signal: AbortSignal): Promise<Written> {
    const prepare = () => {
      const task = withOwnMemory(pieces, settings, this.#secret);
      return { task, transferList: listBuffers(listBytes(task)) };
    };
    return unlessRefused((await this.#run('finish', prepare, CANNOT_FINISH, signal)) as Written | Refusal);
  }

  /** Splits the print of combined documents, whose bytes are transferred. Throws as `finish` does. */
  async split({ pieces, ...task }: SplitTask, signal: AbortSignal): Promise<Split> {
    const prepare = () => {
      const owned = pieces.map(own);
      return { task: { ...task, pieces: owned }, transferList: listBuffers(owned) };
    };
    return (await this.#run('split', prepare, CANNOT_SPLIT, signal)) as Split;
  }

  /**
   * Merges PDFs into one, or returns the indexes of the encrypted parts if there are any. The bytes of the documents are transferred.
   * Throws as `finish` does, and `resource_limit` for a merged PDF of more than `maxBytes`.
   */
  async merge(task: MergeTask, signal: AbortSignal): Promise<Buffer[] | { protectedParts: number[] }> {
    const transferList = listBuffers(task.documents);
    const answer = await this.#run('merge', () => ({ task, transferList }), CANNOT_MERGE, signal);
    const merged = unlessRefused(answer as Merged | Refusal);
    return merged instanceof Uint8Array ? cut(merged) : merged;
  }

  async #run(
    name: string,
    prepare: () => Prepared,
    refusal: string,
    signal: AbortSignal,
    filename = FINISHING,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const stop = new TaskAbort(this.#threads, signal);
    this.#running.add(stop);
    try {
      if (this.#closed) throw shuttingDown();
      const { task, transferList } = prepare();
      return await this.#threads.run(task, { name, filename, signal: stop.signal, transferList });
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#translate(stop.reason ?? error, refusal);
    } finally {
      stop.clear();
      this.#running.delete(stop);
      await stop.threadGone;
    }
  }

  /** Ends all threads, including busy ones. Running, waiting and later tasks are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads.destroy();
  }

  #translate(error: unknown, refusal: string): unknown {
    if (this.#closed) return shuttingDown();
    if (error instanceof ServiceError) return error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return new ServiceError('resource_limit', 'finishing the PDF uses more memory than it may; make the document smaller');
    return new ServiceError('print_failed', refusal, { cause: withoutText(error) });
  }
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting_down', 'the service is shutting down');
}

/** Keeps only the name and location of an error, because messages of a parser can quote the document. */
function withoutText(error: unknown): Error {
  const { name, stack = '' } = error as Error;
  return new Error(`${name}${/\n {4}at .*/.exec(stack)?.[0] ?? ''}`);
}

function cut(bytes: Uint8Array<ArrayBuffer>): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    pieces.push(Buffer.from(bytes.buffer, at, Math.min(PIECE_BYTES, bytes.length - at)));
  return pieces;
}

/** Copies small buffers, because Node allocates them from a shared pool, and the whole pool would be sent with them. */
function withOwnMemory(pieces: Buffer[], settings: FinishSettings, secret: Uint8Array): FinishTask {
  const { watermark, forms, signature } = settings;
  const attachments = settings.attachments.map((attachment) => ({ ...attachment, content: own(attachment.content) }));
  const copied = { ...settings, attachments };
  if (watermark) copied.watermark = { ...watermark, stamp: watermark.stamp.map(ownPiece) };
  if (forms) copied.forms = { ...forms, appearances: forms.appearances.map((pieces) => pieces.map(ownPiece)) };
  if (signature?.visible)
    copied.signature = {
      ...signature,
      visible: { ...signature.visible, appearance: signature.visible.appearance.map(ownPiece) },
    };
  return { pieces: pieces.map(own), settings: copied, secret: Uint8Array.from(secret) };
}

function ownPiece(piece: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(piece).buffer);
}

function own(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength ? bytes : Uint8Array.from(bytes);
}

/** The buffers that are transferred instead of copied. */
function listBytes({ pieces, settings }: FinishTask): Uint8Array[] {
  const { attachments, watermark, forms, signature } = settings;
  const printed = [...(watermark?.stamp ?? []), ...(forms?.appearances.flat() ?? []), ...(signature?.visible?.appearance ?? [])];
  return [...pieces, ...attachments.map(({ content }) => content), ...printed];
}

function listBuffers(bytes: Uint8Array[]): ArrayBuffer[] {
  return [...new Set(bytes.map(({ buffer }) => buffer as ArrayBuffer))];
}
