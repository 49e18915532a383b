/** `platen batch`: renders a file with one item per line into a folder with a PDF for each, without a server. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { FileNames } from '../../batches/file-names.ts';
import { toItemError } from '../../batches/prepare-items.ts';
import { type Config, loadConfig } from '../../config.ts';
import { type RenderEngine, startEngine } from '../../engine.ts';
import { ServiceError } from '../../errors.ts';
import { printAlone, type renderPdf } from '../../render/pdf.ts';
import { requireNone } from '../../render/report.ts';
import { isMembers, type Members } from '../../validate.ts';
import { UsageError } from '../explain.ts';
import { print, printJson } from '../terminal/print.ts';
import { type LineItem, readItems } from './batch-items.ts';
import { BatchOutput, type ItemResult } from './batch-output.ts';
import { type BatchProgress, showProgress } from './batch-progress.ts';
import { changeToCallerFolder } from './caller-folder.ts';
import { readLines } from './lines.ts';
import { openPdfReaders, printerOnLetterheads } from './pdf-readers.ts';
import { parseJson, quietLogger, readInput, unreadable } from './render-file.ts';

interface Flags {
  output: string;
  defaults?: string;
  json?: boolean;
}

/** All items belong to one owner, so that they may be rendered on the same pages. */
const OWNER = { boundary: 'batch', shareOf: 'batch', isOperator: true };
/** How many items may finish ahead of the first unfinished one. Their results wait in memory, because the list is in order. */
const MAX_AHEAD = 1_000;
const INTERRUPTED = 130;

/** Exit status: 0 if all items were rendered, 1 if some failed, 2 if the batch could not start, 130 if it was interrupted. */
export async function batch(input: string, flags: Flags): Promise<void> {
  const config = withUnlimitedFinishQueue(loadConfig());
  changeToCallerFolder();
  const since = performance.now();
  const prepared = await prepare(input, flags).catch((error: Error) => {
    throw new UsageError(error.message);
  });
  const { signal, done } = interruption();
  const counts = await renderAll(config, prepared, signal).finally(done);
  const seconds = Math.round((performance.now() - since) / 100) / 10;
  printSummary({ ...counts, seconds, interrupted: signal.aborted }, flags);
  process.exitCode = signal.aborted ? INTERRUPTED : Math.min(counts.failed, 1);
}

/** Turns Ctrl-C and SIGTERM into an AbortSignal: the first one aborts the work, the second one ends the process at once. */
function interruption(): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return { signal: controller.signal, done: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt) };
}

async function renderAll(config: Config, { defaults, file, output }: Prepared, signal: AbortSignal): Promise<Counts> {
  const bytes = file ? file.createReadStream() : process.stdin;
  try {
    await using opened = new AsyncDisposableStack();
    const engine = opened.use(await startEngine(config.engine, quietLogger, randomBytes(32)));
    const printOrder = printerOnLetterheads(openPdfReaders(opened, config.merging));
    const progress = showProgress(await readSize(file));
    const run = new BatchRun({ concurrency: config.engine.pool.concurrency, engine, printOrder, output, progress, signal });
    await run
      .renderAll(readItems(readLines(bytes, config.http.maxRequestBytes), defaults, config.limits))
      .finally(() => progress.stop());
    return run.counts;
  } finally {
    bytes.destroy();
    await output.close();
  }
}

/** At most `concurrency` items run at the same time, so that the finishing queue needs no further limit. */
function withUnlimitedFinishQueue(config: Config): Config {
  const { pool, finishing } = config.engine;
  const unlimited = { ...finishing, finishQueueLimit: pool.concurrency, finishQueueBytes: Number.MAX_SAFE_INTEGER };
  return { ...config, engine: { ...config.engine, finishing: unlimited } };
}

interface Prepared {
  defaults: Members;
  /** Undefined for standard input. */
  file: FileHandle | undefined;
  output: BatchOutput;
}

async function prepare(input: string, flags: Flags): Promise<Prepared> {
  const defaults = flags.defaults === undefined ? {} : parseJson(await readInput(flags.defaults), flags.defaults);
  if (!isMembers(defaults)) throw new Error(`${flags.defaults} must contain a JSON object`);
  if (Object.hasOwn(defaults, 'reference'))
    throw new Error(`${flags.defaults}: reference must be in the items, not in the defaults`);
  const file = input === '-' ? undefined : await openInput(input);
  return { defaults, file, output: await BatchOutput.open(flags.output, file) };
}

async function openInput(path: string): Promise<FileHandle> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if (!(await file.stat()).isDirectory()) return file;
  await file.close();
  throw unreadable(path, new Error('it is a folder'));
}

/** The size of the input; undefined if it is not known, for example for a pipe. */
async function readSize(file: FileHandle | undefined): Promise<number | undefined> {
  const found = await file?.stat();
  return found?.isFile() ? found.size : undefined;
}

interface BatchContext {
  /** How many items run at the same time. */
  concurrency: number;
  engine: RenderEngine;
  printOrder: typeof renderPdf;
  output: BatchOutput;
  progress: BatchProgress;
  signal: AbortSignal;
}

interface Counts {
  rendered: number;
  failed: number;
  pages: number;
  bytes: number;
}

class BatchRun {
  readonly counts: Counts = { rendered: 0, failed: 0, pages: 0, bytes: 0 };
  readonly #context: BatchContext;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #names = new FileNames();
  readonly #running = new Set<Promise<void>>();
  #fault: unknown;

  constructor(context: BatchContext) {
    this.#context = context;
    this.#signal = AbortSignal.any([context.signal, this.#stop.signal]);
  }

  /** Throws if results cannot be written. */
  async renderAll(items: AsyncIterable<LineItem>): Promise<void> {
    for await (const item of unlessAborted(items, this.#signal)) {
      const name = this.#names.take({ ...item, position: item.index });
      const running = this.#renderOne(item, name)
        .catch((error: unknown) => this.#giveUp(error))
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
      while (this.#isFull(item.index)) await Promise.race(this.#running);
    }
    await Promise.all(this.#running);
    if (this.#fault) throw this.#fault;
  }

  #isFull(index: number): boolean {
    const { concurrency, output } = this.#context;
    return this.#running.size >= concurrency || (this.#running.size > 0 && index - output.next >= MAX_AHEAD);
  }

  #giveUp(error: unknown): void {
    this.#fault ??= error;
    this.#stop.abort();
  }

  async #renderOne(item: LineItem, name: string): Promise<void> {
    const { index, line, reference = null } = item;
    const result = { index, line, reference, ...NOTHING, ...(await this.#renderItem(item, name)) };
    await this.#context.output.add(result);
    this.#count(result, item.end);
  }

  async #renderItem({ request }: LineItem, name: string): Promise<Outcome> {
    try {
      if (request instanceof ServiceError) throw request;
      const { engine, printOrder } = this.#context;
      const { chunks, pages, bytes, report } = await printAlone(engine, request, OWNER, this.#signal, printOrder);
      requireNone(request.failOnWarning, report);
      await this.#context.output.write(name, chunks);
      const { warnings } = report;
      return { status: 'succeeded', file: name, pages, bytes, ...(warnings.length && { warnings }) };
    } catch (error) {
      if (this.#signal.aborted) return { status: 'cancelled' };
      if (error instanceof ServiceError) return { status: 'failed', error: toItemError(error) };
      throw error;
    }
  }

  #count(result: ItemResult, end: number): void {
    if (result.status === 'succeeded') this.counts.rendered++;
    if (result.status === 'failed') this.counts.failed++;
    this.counts.pages += result.pages ?? 0;
    this.counts.bytes += result.bytes ?? 0;
    this.#context.progress.add(result, end);
  }
}

type Outcome = Pick<ItemResult, 'status'> & Partial<ItemResult>;

const NOTHING = { status: 'failed', file: null, pages: null, bytes: null } as const;

/** Stops on abort even while it waits for the next item, for example from an idle pipe. */
async function* unlessAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  signal.addEventListener('abort', () => resolve(), { once: true });
  for (;;) {
    const next = await Promise.race([iterator.next(), aborted]);
    if (!next || next.done || signal.aborted) return;
    yield next.value;
  }
}

interface Summary extends Counts {
  seconds: number;
  interrupted: boolean;
}

function printSummary(summary: Summary, { json, output }: Flags): void {
  const { rendered, failed, pages, bytes, seconds, interrupted } = summary;
  const end = interrupted ? ', interrupted' : '';
  if (json) printJson({ ...summary, output });
  else print(`${rendered} rendered, ${failed} failed${end}: ${pages} pages, ${bytes} bytes in ${seconds} s, in ${output}`);
}
