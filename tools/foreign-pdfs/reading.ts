/** What programs other than Platen find in a PDF: faults with qpdf, words and pictures of pages with poppler. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeXML } from 'entities';

/** Of each PDF. */
const PAGES_DRAWN = '4';
/** A pixel is a point. */
const DPI = '72';
const MAX_OUTPUT = 1_000_000_000;

/** In points from the upper left corner of the page as it is shown. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Word extends Box {
  text: string;
}

export interface Picture {
  width: number;
  height: number;
  /** Three bytes a pixel. */
  pixels: Buffer;
}

export interface ReadPdf {
  /** What qpdf says. Empty for a PDF without faults. */
  faults: string;
  /** Of each page. */
  words: Word[][];
  /** Of the first pages. */
  pictures: Picture[];
}

const run = promisify(execFile);

async function outputOf(tool: string, ...args: string[]): Promise<string> {
  return (await run(tool, args, { maxBuffer: MAX_OUTPUT })).stdout;
}

/** A folder with one PDF at a time. */
export class Reading implements AsyncDisposable {
  readonly #folder: string;
  readonly #path: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'read.pdf');
  }

  static async open(): Promise<Reading> {
    return new Reading(await mkdtemp(join(tmpdir(), 'foreign-')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  async read(content: Uint8Array, password = ''): Promise<ReadPdf> {
    await writeFile(this.#path, content);
    const [faults, words] = await Promise.all([this.#faults(password), this.#words(password)]);
    return { faults, words, pictures: await this.#draw(password) };
  }

  /** Returns what the tool prints about the PDF. */
  async ask(content: Uint8Array, tool: string, ...args: string[]): Promise<string> {
    await writeFile(this.#path, content);
    return outputOf(tool, ...args, this.#path);
  }

  async encrypt(content: Uint8Array, password: string): Promise<Uint8Array> {
    await writeFile(this.#path, content);
    const path = join(this.#folder, 'encrypted.pdf');
    await outputOf('qpdf', '--warning-exit-0', '--encrypt', password, 'owner', '256', '--', this.#path, path);
    return readFile(path);
  }

  async #faults(password: string): Promise<string> {
    return run('qpdf', [`--password=${password}`, '--check', this.#path]).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr || 'it cannot be read',
    );
  }

  async #words(password: string): Promise<Word[][]> {
    const html = await outputOf('pdftotext', '-bbox', '-cropbox', '-upw', password, '-enc', 'UTF-8', this.#path, '-');
    const pages = html.split('<page ').slice(1);
    return pages.map((page) => {
      const words = page.matchAll(/<word xMin="([^"]*)" yMin="([^"]*)" xMax="([^"]*)" yMax="([^"]*)">([^<]*)</g);
      return [...words].map(([, ...values]) => {
        const [x = 0, y = 0, right = 0, bottom = 0] = values.map(Number);
        return { text: decodeXML(values[4] ?? ''), x, y, width: right - x, height: bottom - y };
      });
    });
  }

  async #draw(password: string): Promise<Picture[]> {
    await outputOf(
      'pdftoppm',
      '-cropbox',
      '-upw',
      password,
      '-r',
      DPI,
      '-l',
      PAGES_DRAWN,
      this.#path,
      join(this.#folder, 'drawn'),
    );
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith('drawn')).sort();
    return Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const picture = toPicture(await readFile(path));
        await rm(path);
        return picture;
      }),
    );
  }
}

/** Reads a PPM file, which has its size in its first lines. */
function toPicture(file: Buffer): Picture {
  const [header = '', width, height] = /^P6\s(\d+) (\d+)\s255\s/.exec(file.subarray(0, 50).toString('latin1')) ?? [];
  return { width: Number(width), height: Number(height), pixels: file.subarray(header.length) };
}
