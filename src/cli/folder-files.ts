/** Files beside a document on the disk: a relative address in, the file out, as long as it is in the folder of the document. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import mime from 'mime';
import type { HostedFile } from '../egress/hosted-assets.ts';

/** Read when the document asks for them. Hidden files, and what links lead to outside of the folder, are not there. */
export class FolderFiles extends Map<string, HostedFile> {
  readonly #folder: string;
  readonly #maxBytes: number;

  /** `maxBytes`: of one file. */
  constructor(document: string, maxBytes: number) {
    super();
    this.#folder = realpathSync(dirname(document));
    this.#maxBytes = maxBytes;
  }

  override get(path: string): HostedFile | undefined {
    if (path.includes('\0') || path.split('/').some((step) => step === '' || step.startsWith('.'))) return undefined;
    try {
      const file = realpathSync(join(this.#folder, path));
      if (!file.startsWith(this.#folder + sep) && this.#folder !== sep) return undefined;
      const found = statSync(file);
      if (found.size > this.#maxBytes || !found.isFile()) return undefined; // a device or a pipe may have no end
      return { type: mime.getType(file) ?? 'application/octet-stream', content: readFileSync(file) };
    } catch {
      return undefined;
    }
  }
}
