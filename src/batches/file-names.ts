/** Names of files for the results of items: what their callers called them in, names that every system takes, each once, out. */

/** Control characters, line and paragraph separators, marks that turn the direction of text, and what some system keeps for itself. */
const UNUSABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu;
/** Names of devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** Of UTF-8; file systems take 255, and a number may have to be added. */
const MAX_BYTES = 200;
const ENDING = '.pdf';

export interface Named {
  /** From 0. */
  position: number;
  /** As its caller named the PDF. */
  filename: string | undefined;
  reference: string | null | undefined;
}

export class FileNames {
  /** Without regard to case: some file systems know none. */
  readonly #taken = new Set<string>();
  /** How often each was asked for that was taken. */
  readonly #counts = new Map<string, number>();

  /** The filename, else the reference, else `item-001.pdf` for the first; `(2)` and so on where it is taken. */
  take({ position, filename, reference }: Named): string {
    const stem = stemOf(filename) || stemOf(reference) || `item-${String(position + 1).padStart(3, '0')}`;
    let name = stem + ENDING;
    let count = this.#counts.get(folded(stem)) ?? 1;
    while (this.#taken.has(folded(name))) name = `${stem} (${++count})${ENDING}`;
    if (count > 1) this.#counts.set(folded(stem), count);
    this.#taken.add(folded(name));
    return name;
  }
}

function stemOf(name: string | null | undefined): string {
  const safe = (name ?? '').toWellFormed().normalize('NFC').replace(UNUSABLE, '_');
  const short = cut(trimmed(safe.trimEnd().replace(/\.pdf$/i, '')));
  return trimmed(short).replace(DEVICE, '_$&');
}

/** No name begins or ends with dots or spaces: that hides it, or some systems take them off. */
function trimmed(name: string): string {
  return name.replace(/^[\s.]+/, '').replace(/(?<![\s.])[\s.]+$/, '');
}

function cut(name: string): string {
  let kept = '';
  let bytes = 0;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    kept += character;
  }
  return kept;
}

function folded(name: string): string {
  return name.toLowerCase();
}
