/**
 * Sends the PDFs of a folder through the steps of an assembly and compares each result with its source, with qpdf and poppler:
 * `node tools/foreign-pdfs.ts FOLDER [MOST]`. `FOLDER` has PDFs of any programs; their names up to the first `-` are those of the programs.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceError } from '../src/errors.ts';
import type { AssemblyOrder } from '../src/pdf/assemble/assemble.ts';
import { EXTRACTED } from '../src/pdf/assemble/extract.ts';
import type { Step } from '../src/pdf/assemble/steps.ts';
import { UploadAssembly } from '../src/uploads/assemble-uploads.ts';

type Order = Omit<AssemblyOrder, 'maxBytes'>;

/** What of a result is as in the source. */
interface Expected {
  order: Order;
  /** How often the words of the source are there. Undefined where a step may change them. */
  words?: number;
  /** Whether the pages look the same: all of them, or all but a strip at their lower edge. */
  pixels?: 'all' | 'above';
  password?: string;
  /** Whether words may be missing if the report says that something is, such as the fields of pages that become pictures of pages. */
  mayDrop?: boolean;
}

/** Of what is drawn, in proportion to the height of a page, and of what is compared above it. */
const [STRIP, COMPARED] = [0.1, 0.88];
const DPI = '36';
const PAGES_COMPARED = '3';
const MAX_PDF_BYTES = 100_000_000;
const SHORT = 300;

const run = promisify(execFile);
const outputOf = async (tool: string, ...args: string[]) =>
  (await run(tool, args, { maxBuffer: 1_000_000_000, encoding: 'buffer' })).stdout;

const toPart = (content: Uint8Array): AssemblyOrder['parts'][number] => {
  return { content, title: undefined, pages: undefined, password: undefined, isOwn: false, dropsSignatures: true };
};

function ordersOf(source: Uint8Array, side: number): Record<string, Expected> {
  const parts = [toPart(source)];
  const steps = (...some: Step[]): Order => ({ parts, steps: some.map((step, number) => ({ number, step })) });
  const files = [{ name: 'n.txt', content: Buffer.from('n'), type: undefined, description: undefined, relationship: undefined }];
  const strip = { page: 1, x: 0, y: 0, width: 20_000, height: STRIP * side };
  const redaction = { texts: [], expressions: [], ignoresCase: false, boxes: [strip], isFromBottom: true };
  return {
    'written again': { order: { ...steps(), parts: [{ ...toPart(source), pages: '1-' }] }, words: 1, pixels: 'all' },
    merge: { order: { parts: [...parts, ...parts], steps: [] }, words: 2, pixels: 'all' },
    rotate: {
      order: steps({ rotate: { pages: undefined, angle: 90 } }, { rotate: { pages: undefined, angle: 270 } }),
      words: 1,
      pixels: 'all',
    },
    bookmarks: { order: steps({ bookmarks: { bookmarks: 'parts' } }), words: 1, pixels: 'all' },
    attach: { order: steps({ attach: { files } }), words: 1, pixels: 'all' },
    optimize: { order: steps({ optimize: {} }), words: 1, pixels: 'all' },
    redact: { order: steps({ redact: { ...redaction, color: undefined, dropsAttachments: true } }), pixels: 'above' },
    compose: { order: steps({ compose: { perSheet: 2, isBooklet: false } }), words: 1, mayDrop: true },
    flatten: { order: steps({ flatten: { annotations: false } }), pixels: 'all' },
    encrypt: {
      order: { ...steps(), password: { user: 'u', owner: 'o', permissions: undefined } },
      words: 1,
      pixels: 'all',
      password: 'u',
    },
    split: { order: { ...steps(), split: { number: 0, step: { every: 1 } } } },
    extract: { order: { ...steps(), extract: { number: 0, step: { what: EXTRACTED } } } },
    conform: { order: { ...steps(), conform: { number: 0, step: { profiles: ['PDF/A-2b'] } } }, words: 1 },
  };
}

class Comparison {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'result.pdf');
  }

  /** What is wrong with a result. */
  async check(source: string, files: readonly Uint8Array[], { words, pixels, password = '' }: Expected): Promise<string[]> {
    const wrong: string[] = [];
    for (const file of files) {
      await writeFile(this.#path, file);
      const faults = await this.#faults(password);
      const known = faults && (await this.#isFaulty(source));
      if (faults && !known) wrong.push(`qpdf: ${faults}`);
    }
    if (words && (await this.#words(this.#path, password)) !== repeat(await this.#words(source, ''), words))
      wrong.push('its words differ');
    if (pixels && !(await this.#looksLike(source, pixels, password))) wrong.push('its pixels differ');
    return wrong;
  }

  async #faults(password: string): Promise<string | undefined> {
    try {
      await outputOf('qpdf', `--password=${password}`, '--check', this.#path);
      return undefined;
    } catch (error) {
      return String((error as { stderr?: Buffer }).stderr).slice(0, SHORT);
    }
  }

  async #isFaulty(source: string): Promise<boolean> {
    return run('qpdf', ['--check', source]).then(
      () => false,
      () => true,
    );
  }

  /** The words in a fixed order, because steps may place pages anew. */
  async #words(path: string, password: string): Promise<string> {
    const text = await outputOf('pdftotext', '-upw', password, '-enc', 'UTF-8', path, '-');
    return text.toString().split(/\s+/).filter(Boolean).sort().join(' ');
  }

  async #looksLike(source: string, pixels: 'all' | 'above', password: string): Promise<boolean> {
    const [before, after] = [await this.#draw(source, ''), await this.#draw(this.#path, password)];
    return before.every((page, index) => {
      const other = after[index];
      const to = pixels === 'all' ? page.length : Math.floor(page.length * COMPARED);
      return other?.length === page.length && page.subarray(0, to).equals(other.subarray(0, to));
    });
  }

  async #draw(path: string, password: string): Promise<Buffer[]> {
    const prefix = join(this.#folder, 'drawn');
    await outputOf('pdftoppm', '-upw', password, '-r', DPI, '-l', PAGES_COMPARED, path, prefix);
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith('drawn')).sort();
    const pages = await Promise.all(names.map((name) => readFile(join(this.#folder, name))));
    await Promise.all(names.map((name) => rm(join(this.#folder, name))));
    return pages;
  }
}

function repeat(words: string, times: number): string {
  const each = words
    .split(' ')
    .filter(Boolean)
    .flatMap((word) => Array.from({ length: times }, () => word));
  return each.join(' ');
}

/** The shorter side of the first page, which may be shown turned. */
async function sideOf(path: string): Promise<number> {
  const [, width, height] =
    /Page\s+1 size:\s+([\d.]+) x ([\d.]+)/.exec((await outputOf('pdfinfo', '-l', '1', path)).toString()) ?? [];
  return Math.min(Number(width ?? 0), Number(height ?? 0));
}

const [folder = '.', most = '300'] = process.argv.slice(2);
const scratch = await mkdtemp(join(tmpdir(), 'foreign-'));
const assembly = new UploadAssembly({ maxPdfBytes: MAX_PDF_BYTES });
const comparison = new Comparison(scratch);
const counts = new Map<string, { right: number; refused: number; wrong: number }>();
const names = (await readdir(folder)).filter((name) => name.endsWith('.pdf')).slice(0, Number(most));
const { log } = console;
for (const name of names) {
  const path = join(folder, name);
  for (const [step, expected] of Object.entries(ordersOf(await readFile(path), await sideOf(path)))) {
    const count = counts.get(step) ?? { right: 0, refused: 0, wrong: 0 };
    counts.set(step, count);
    try {
      const { files, dropped } = await assembly.assemble('foreign', expected.order);
      if (expected.mayDrop && dropped.length) delete expected.words;
      const wrong = await comparison.check(
        path,
        files.map(({ content }) => content),
        expected,
      );
      if (wrong.length) log(`${name}, ${step}: ${wrong.join('; ')}`);
      count[wrong.length ? 'wrong' : 'right']++;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      count.refused++;
      if (step !== 'conform') log(`${name}, ${step}: refused: ${error.message.slice(0, SHORT)}`);
    }
  }
}
const programs = new Set(names.map((name) => name.split('-')[0]));
log(`${names.length} PDFs of ${programs.size} programs: ${[...programs].join(', ')}`);
for (const [step, count] of counts) log(step.padEnd(14), JSON.stringify(count));
await assembly.close();
await rm(scratch, { recursive: true });
