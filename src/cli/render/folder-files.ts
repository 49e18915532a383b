/** Serves files next to a document on the disk: a relative path in, the file out, if it is inside the document's folder. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import mime from 'mime';
import type { HostedFile } from '../../egress/hosted-assets.ts';

/**
 * Other files in the folder may be private, and an untrusted document could read and send them with its scripts. The browser does
 * not say what it loads such a file for (`Sec-Fetch-Dest` is sent only for https), so the media type of the file decides.
 */
const SERVED = /^(?:image|font|audio|video)\/|^(?:text\/css|text\/javascript|application\/javascript)$/;

/**
 * Reads files when the document requests them. Hidden files, and links to files outside of the folder, are treated as missing.
 * Scripts can read fonts only, because browsers load fonts only if they are readable.
 */
export class FolderFiles extends Map<string, HostedFile> {
  readonly #folder: string;
  readonly #maxBytes: number;

  /** `maxBytes` is the maximum size of one file. */
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
      if (found.size > this.#maxBytes || !found.isFile()) return undefined; // a device or a pipe may never end
      return { type, content: readFileSync(file), unreadable: !type.startsWith('font/') };
    } catch {
      return undefined;
    }
  }
}

function isHidden(path: string, separator: string): boolean {
  return path.split(separator).some((step) => step === '' || step.startsWith('.'));
}
