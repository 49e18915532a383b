/** Files beside a document on the disk: a relative address in, the file out, as long as it is in the folder of the document. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import mime from 'mime';
import type { HostedFile } from '../egress/hosted-assets.ts';

/**
 * Everything else in the folder may be private, and a document may be someone else's: its scripts could send what they read. The
 * browser does not say what it loads such a file for (`Sec-Fetch-Dest` is only for https), so that the type of the file decides.
 */
const SERVED = /^(?:image|font|audio|video)\/|^(?:text\/css|text\/javascript|application\/javascript)$/;

/**
 * Read when the document asks for them. Hidden files, and what links lead to outside of the folder, are not there. Scripts can
 * read fonts alone, because browsers load none otherwise.
 */
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
    if (path.includes('\0') || isHidden(path, '/')) return undefined;
    try {
      const file = realpathSync(join(this.#folder, path));
      if (!file.startsWith(this.#folder + sep) && this.#folder !== sep) return undefined;
      const type = mime.getType(file) ?? '';
      if (!SERVED.test(type) || isHidden(relative(this.#folder, file), sep)) return undefined;
      const found = statSync(file);
      if (found.size > this.#maxBytes || !found.isFile()) return undefined; // a device or a pipe may have no end
      return { type, content: readFileSync(file), unreadable: !type.startsWith('font/') };
    } catch {
      return undefined;
    }
  }
}

function isHidden(path: string, separator: string): boolean {
  return path.split(separator).some((step) => step === '' || step.startsWith('.'));
}
