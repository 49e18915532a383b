/**
 * Names the files of the results of a batch: the filenames and references that callers gave in, unique names that are valid on
 * every operating system out.
 */

/**
 * Control characters, line and paragraph separators, bidirectional formatting characters, and characters reserved by an operating
 * system.
 */
const UNUSABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu;
/** Device names on Windows, which are reserved with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** Bytes of UTF-8. File systems accept 255; the rest leaves space for the extension and a number. */
const MAX_BYTES = 200;
const ENDING = '.pdf';

export interface Named {
  /** The index of the item, from 0. */
  position: number;
  /** The filename that the caller gave the PDF. */
  filename: string | undefined;
  reference: string | null | undefined;
}

export class FileNames {
  /** Names in lower case, because some file systems ignore case. */
  readonly #taken = new Set<string>();
  /** The highest number added so far to each stem that was already taken. */
  readonly #counts = new Map<string, number>();

  /**
   * Returns the filename, else the reference, else `item-001.pdf` for the first item; adds `(2)` and so on if the name is taken.
   */
  take({ position, filename, reference }: Named): string {
    const stem = safeStem(filename) || safeStem(reference) || `item-${String(position + 1).padStart(3, '0')}`;
    let name = stem + ENDING;
    let count = this.#counts.get(foldCase(stem)) ?? 1;
    while (this.#taken.has(foldCase(name))) name = `${stem} (${++count})${ENDING}`;
    if (count > 1) this.#counts.set(foldCase(stem), count);
    this.#taken.add(foldCase(name));
    return name;
  }
}

function safeStem(name: string | null | undefined): string {
  const safe = (name ?? '').toWellFormed().normalize('NFC').replace(UNUSABLE, '_');
  const short = cut(trimDotsAndSpaces(safe.trimEnd().replace(/\.pdf$/i, '')));
  return trimDotsAndSpaces(short).replace(DEVICE, '_$&');
}

/** Removes dots and spaces at both ends: a leading dot hides a file, and Windows removes trailing dots and spaces. */
function trimDotsAndSpaces(name: string): string {
  return name.replace(/^[\s.]+/, '').replace(/(?<![\s.])[\s.]+$/, '');
}

function cut(name: string): string {
  const { read } = new TextEncoder().encodeInto(name, new Uint8Array(MAX_BYTES));
  return name.slice(0, read);
}

function foldCase(name: string): string {
  return name.toLowerCase();
}
