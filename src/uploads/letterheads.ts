/** Prepares letterheads, and remembers those that were used last: a PDF of any program in, what is drawn under pages out. */
import type { Letterhead } from '../pdf/finish-settings.ts';
import type { UploadAssembly } from './assemble-uploads.ts';

const MAX_BYTES = 67_108_864;

export class Letterheads {
  readonly #uploads: Pick<UploadAssembly, 'assemble'>;
  readonly #pending = new Map<string, Promise<Letterhead>>();
  /** By owner and digest. The last one was used last. */
  readonly #known = new Map<string, Letterhead>();
  readonly #maxBytes: number;
  #bytes = 0;

  /** `maxBytes` limits all that are remembered. */
  constructor(uploads: Pick<UploadAssembly, 'assemble'>, maxBytes = MAX_BYTES) {
    this.#uploads = uploads;
    this.#maxBytes = maxBytes;
  }

  /** `read` is called unless a letterhead of the owner with this digest is known. Throws as `UploadAssembly.assemble` does. */
  async prepare(owner: string, digest: string, read: () => Promise<Uint8Array>): Promise<Letterhead> {
    const key = `${owner} ${digest}`;
    const known = this.#known.get(key);
    if (known) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const pending = this.#pending.get(key) ?? this.#prepare(owner, read).finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    const letterhead = await pending;
    if (!this.#known.has(key)) this.#remember(key, letterhead);
    return letterhead;
  }

  /** Forgets all. */
  close(): void {
    this.#known.clear();
  }

  async #prepare(owner: string, read: () => Promise<Uint8Array>): Promise<Letterhead> {
    const part = { content: await read(), title: '', pages: undefined, password: undefined, isOwn: false, dropsSignatures: true };
    const { letterhead } = await this.#uploads.assemble(owner, { parts: [part], steps: [], isLetterhead: true });
    if (!letterhead) throw new Error('the letterhead is missing');
    return letterhead;
  }

  #remember(key: string, letterhead: Letterhead): void {
    this.#known.set(key, letterhead);
    this.#bytes += letterhead.bytes;
    for (const [oldest, { bytes }] of this.#known) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#known.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
