/**
 * Keeps PDFs of the playground for a short time, so that their pages can be drawn: chunks in, an unguessable id out. They are in the
 * memory of this node; another node does not know them.
 */
import { createId } from '../ids.ts';

const KEPT_MS = 120_000;
/** Of all results together. The oldest is forgotten first. */
const MAX_BYTES = 33_554_432;
/** A larger PDF is not kept. */
const MAX_RESULT_BYTES = 4_194_304;

export interface PlaygroundResult {
  chunks: readonly Buffer[];
  bytes: number;
  pages: number;
}

export class PlaygroundResults {
  readonly #kept = new Map<string, { result: PlaygroundResult; timer: NodeJS.Timeout }>();
  #bytes = 0;

  /** Returns an id, or undefined if the PDF is too large to be kept. */
  keep({ chunks, bytes, pages }: PlaygroundResult): string | undefined {
    if (bytes > MAX_RESULT_BYTES) return undefined;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes + bytes <= MAX_BYTES) break;
      this.#forget(oldest);
    }
    const id = createId('pgr');
    const timer = setTimeout(() => this.#forget(id), KEPT_MS).unref();
    this.#kept.set(id, { result: { chunks, bytes, pages }, timer });
    this.#bytes += bytes;
    return id;
  }

  /** Returns undefined if there is no such result, or its time is over. */
  find(id: string): PlaygroundResult | undefined {
    return this.#kept.get(id)?.result;
  }

  clear(): void {
    for (const id of [...this.#kept.keys()]) this.#forget(id);
  }

  #forget(id: string): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.#kept.delete(id);
    this.#bytes -= kept.result.bytes;
  }
}
