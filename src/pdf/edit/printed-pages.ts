/** Reads the pages of a PDF that Chromium printed: its bytes in; page objects, destinations and what a page shows out. */
import { inflateSync } from 'node:zlib';
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { match, readCrossReference } from '../objects/cross-reference.ts';
import { isStream, RawFile, STREAM, textLength } from '../objects/raw-file.ts';

const DESTINATION = /\/([^\s/[\]()<>]+) (\[(\d+) 0 R \/XYZ (-?[\d.]+) (-?[\d.]+) 0\])/g;
const MEDIA_BOX = /\/MediaBox \[\s*-?[\d.]+ -?[\d.]+ (-?[\d.]+) (-?[\d.]+)\s*\]/;
/** Names of resources, and numbers of marked content, differ between prints of the same page. */
const RESOURCE = /\/([A-Z])\d+\b/g;
const MARKED_CONTENT = /\/MCID \d+/g;

export interface Destination {
  /** As the PDF writes it. */
  name: string;
  value: string;
  /** The object number of the page. */
  page: number;
  /** The index of the page. */
  index: number;
  /** Points from the left and the lower edge of the page. */
  left: number;
  top: number;
}

export class PrintedPages extends RawFile {
  readonly catalog: string;
  #byName: Map<string, Destination> | undefined;
  /** The object number of the catalog. */
  readonly root: number;
  /** The object number of the information dictionary. */
  readonly info: number;
  /** Object numbers of the pages. */
  readonly pages: number[];

  constructor(bytes: Buffer) {
    super(bytes);
    const { trailer } = readCrossReference(new ChunkedBuffer([bytes]));
    this.info = Number(match(/\/Info (\d+) 0 R/, trailer));
    this.root = Number(match(/\/Root (\d+) 0 R/, trailer));
    this.catalog = this.text(this.root);
    this.pages = this.#findPages(Number(match(/\/Pages (\d+) 0 R/, this.catalog)));
  }

  /** The text of an object, or the dictionary of a stream. */
  text(id: number): string {
    const body = this.#require(id);
    return body.toString('latin1', 0, textLength(body));
  }

  /** A stream from its keyword to its end. */
  stream(id: number): Buffer | undefined {
    const body = this.#require(id);
    return isStream(body) ? body.subarray(textLength(body)) : undefined;
  }

  /** The size of a page in points. */
  pageSize(index: number): Record<'width' | 'height', number> {
    const [, width, height] = MEDIA_BOX.exec(this.text(this.pages[index] ?? 0)) ?? [];
    return { width: Number(width), height: Number(height) };
  }

  /** Where a URL with this fragment leads. */
  destinationOf(fragment: string): Destination | undefined {
    return this.#destinations.get(writeName(fragment));
  }

  /** Whether there is a destination with this name, as the PDF writes it. */
  hasDestination(name: string): boolean {
    return this.#destinations.has(name);
  }

  get #destinations(): Map<string, Destination> {
    this.#byName ??= new Map(this.destinations().map((destination) => [destination.name, destination]));
    return this.#byName;
  }

  destinations(): Destination[] {
    const [, dests] = /\/Dests (\d+) 0 R/.exec(this.catalog) ?? [];
    if (dests === undefined) return [];
    const indexes = new Map(this.pages.map((id, index) => [id, index]));
    return [...this.text(Number(dests)).matchAll(DESTINATION)].map(([, name = '', value = '', page, left, top]) => {
      const index = indexes.get(Number(page)) ?? -1;
      return { name, value, page: Number(page), index, left: Number(left), top: Number(top) };
    });
  }

  /** Takes the destinations whose names begin with the prefix out, in place. */
  removeDestinations(prefix: string): void {
    const [, id] = /\/Dests (\d+) 0 R/.exec(this.catalog) ?? [];
    const body = id === undefined ? undefined : this.body(Number(id));
    if (!body) return;
    const others = body.toString('latin1').replace(DESTINATION, (whole, name: string) => (name.startsWith(prefix) ? '' : whole));
    body.write(others.padEnd(body.length), 'latin1');
  }

  /** What a page shows. */
  pageContent(index: number): Buffer {
    const [, id] = /\/Contents (\d+) 0 R/.exec(this.text(this.pages[index] ?? 0)) ?? [];
    const stream = id === undefined ? undefined : this.stream(Number(id));
    if (!stream) return Buffer.alloc(0);
    const data = stream.subarray(STREAM.length);
    const isPlain = !this.text(Number(id)).includes('/FlateDecode'); // Skia leaves short streams as they are
    return isPlain ? data : inflateSync(data);
  }

  /** What a page shows, in a form that is equal for equal pages of two prints. */
  content(index: number): string {
    const names = new Map<string, number>();
    return this.pageContent(index)
      .toString('latin1')
      .replace(MARKED_CONTENT, '')
      .replace(RESOURCE, (name, kind) => {
        const number = names.get(name) ?? names.size;
        names.set(name, number);
        return `/${kind}${number}`;
      });
  }

  #require(id: number): Buffer {
    const body = this.body(id);
    if (!body) throw new Error(`the PDF has no object ${id}`);
    return body;
  }

  #findPages(id: number): number[] {
    const [, kids] = /\/Kids \[([\d R\s]*)\]/.exec(this.text(id)) ?? [];
    if (kids === undefined) return [id];
    return [...kids.matchAll(/\b(\d+) 0 R/g)].flatMap(([, kid]) => this.#findPages(Number(kid)));
  }
}

/** The rounding of large coordinates, in Chromium's single precision. */
const TOLERANCE = 0.1;
/** The matrix of the page, and coordinates inside and outside of it. */
const MAX_SHIFTS = 3;

/**
 * Whether two contents show the same. Chromium positions content from the top of the first page of its print, so that coordinates may
 * differ, but all by the same few distances.
 */
export function showsSame(one: string, other: string): boolean {
  const [some, others] = [one.split(/\s+/), other.split(/\s+/)];
  const shifts: number[] = [];
  return (
    some.length === others.length &&
    some.every((token, index) => {
      if (token === others[index]) return true;
      const shift = Number(token) - Number(others[index]);
      if (shifts.some((known) => Math.abs(known - shift) < TOLERANCE)) return true;
      return !Number.isNaN(shift) && shifts.push(shift) <= MAX_SHIFTS;
    })
  );
}

/** A name as Skia writes it (ISO 32000-1, 7.3.5). */
function writeName(text: string): string {
  const escaped = (sign: string) => `#${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return text.replace(/[^!-~]|[#%()<>[\]{}/]/g, escaped);
}
