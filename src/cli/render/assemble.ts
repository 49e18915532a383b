/** `platen assemble`, `split`, `stamp` and `extract`: put a PDF together from files, change it or read what it holds, without a server. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, parse, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import mime from 'mime';
import { type Config, loadConfig } from '../../config.ts';
import { Deadline } from '../../deadline.ts';
import { startEngine } from '../../engine.ts';
import { hasCode, renameFields, ServiceError } from '../../errors.ts';
import { Markdown } from '../../markdown/markdown.ts';
import { type AssembledResult, assembleFile, needsBrowser } from '../../render/assembly/assemble.ts';
import { parseAssemblyRequest } from '../../render/assembly/assembly-request.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import { isUsableFilename } from '../../render/request/values/filename.ts';
import { changeToCallerFolder } from './caller-folder.ts';
import { requireOutput, writeOutput } from './output-file.ts';
import { notHere, openPdfReaders } from './pdf-readers.ts';
import { parseJson, printWarnings, quietLogger, readInput, unreadable } from './render-file.ts';

interface Flags {
  output: string;
  /** Of each input that is a PDF. */
  pages?: string;
  password?: string;
}

interface AssembleFlags extends Flags {
  steps?: string;
}

interface SplitFlags extends Flags {
  every?: string;
  ranges?: string[];
  atBookmarks?: boolean;
  maxBytes?: string;
}

interface StampFlags extends Flags {
  text?: string;
  file?: string;
  under?: boolean;
  on?: string;
  position?: string;
  size?: string;
  color?: string;
  opacity?: string;
  rotate?: string;
}

interface ExtractFlags extends Flags {
  what?: string[];
}

const OWNER = { boundary: 'file', shareOf: 'file', isOperator: true };
const PRINCIPAL = { keyId: 'file', accountId: 'file', isTest: false };
/** The options of members of a step, for errors. */
const SPLIT_OPTIONS = { every: '--every', ranges: '--ranges', at: '--at-bookmarks', max_bytes: '--max-bytes' };
const STAMP_OPTIONS = {
  ...{ text: '--text', file: '--file', image: '--file', pages: '--on', position: '--position' },
  ...{ font_size: '--size', color: '--color', opacity: '--opacity', rotate: '--rotate' },
};
/** The name of the file that is drawn. Those of inputs contain their number. */
const DRAWN = 'drawn';

/** `inputs` are PDFs, HTML and Markdown files and URLs, or one JSON file with the body of `POST /v1/pdf/assemble`. */
export async function assembleFiles(inputs: string[], { steps, ...flags }: AssembleFlags): Promise<void> {
  await assemble(inputs, flags, async () => ({
    ...(steps !== undefined && { steps: parseJson(steps.trim().startsWith('[') ? steps : await readInput(steps), steps) }),
  }));
}

/** Splits inputs as `assembleFiles` takes them, after each page unless `flags` say where. */
export async function splitFiles(
  inputs: string[],
  { every, ranges, atBookmarks, maxBytes, ...flags }: SplitFlags,
): Promise<void> {
  const places = { every: toNumber(every), ranges, at: atBookmarks && 'bookmarks', max_bytes: toNumber(maxBytes) };
  const stated = withoutUndefined(places);
  const split = Object.keys(stated).length ? stated : { every: 1 };
  await assemble(inputs, flags, async () => ({ steps: [{ split }], options: SPLIT_OPTIONS }));
}

/** Draws a text, an image or the first page of a PDF over or under the pages of inputs as `assembleFiles` takes them. */
export async function stampFiles(inputs: string[], flags: StampFlags): Promise<void> {
  const { under, text, file, on, position, size, color, opacity, rotate } = flags;
  if (text === undefined && file === undefined)
    throw new ServiceError('invalid_request', 'name what to draw, with --text or --file');
  await assemble(inputs, flags, async () => {
    const looks = { position, color, font_size: toNumber(size), opacity: toNumber(opacity), rotate: toNumber(rotate) };
    const drawn = { text, ...(file !== undefined && { [isImage(file) ? 'image' : 'file']: DRAWN }), pages: on, ...looks };
    const files = file === undefined ? [] : [await readPdf(file, DRAWN)];
    return { steps: [{ [under ? 'watermark' : 'stamp']: withoutUndefined(drawn) }], files, options: STAMP_OPTIONS };
  });
}

/** Of inputs that are PDFs. */
export async function extractFiles(inputs: string[], { what, ...flags }: ExtractFlags): Promise<void> {
  await assemble(inputs, flags, async () => ({ steps: [{ extract: what ? { what } : {} }], options: { what: '--what' } }));
}

interface Steps {
  steps?: unknown;
  /** What they draw. */
  files?: UploadedFile[];
  /** The options that stand for members of the only step. */
  options?: Readonly<Record<string, string>>;
}

/** `readSteps` reads files in the folder of the caller. */
async function assemble(inputs: string[], flags: Flags, readSteps: () => Promise<Steps>): Promise<void> {
  const config = loadConfig();
  changeToCallerFolder();
  await requireOutput(flags.output, inputs);
  const { body, files } = await readRequest(inputs, flags);
  const { files: drawn = [], options = {}, ...given } = await readSteps();
  const { chunks, type, report } = await run(config, { ...body, ...given }, [...files, ...drawn]).catch((error) => {
    if (!hasCode(error, 'invalid_request') || isBody(inputs)) throw error;
    throw renameFields(error, (path) => nameGiven(path, inputs, options));
  });
  await writeOutput(flags.output, Buffer.concat(chunks), type);
  printWarnings(report);
}

/** Names what the caller wrote in place of a field of the request. */
function nameGiven(path: string, inputs: readonly string[], options: Readonly<Record<string, string>>): string {
  const [, number, ofPart] = /^parts\[(\d{1,9})\](?:\.(pages|password)$)?/.exec(path) ?? [];
  if (number !== undefined) return `${inputs[Number(number)]}${ofPart ? ` --${ofPart}` : ''}`;
  const [, member = ''] = /^steps\[0\]\.\w{1,20}(?:\.(\w{1,20}))?/.exec(path) ?? [];
  return options[member] ?? path;
}

async function run({ engine: settings, limits, merging }: Config, body: object, files: UploadedFile[]): Promise<AssembledResult> {
  const most = { ...limits, maxAssets: Number.POSITIVE_INFINITY, maxAssetsBytes: Number.POSITIVE_INFINITY };
  const request = parseAssemblyRequest(body, most, files);
  using deadline = new Deadline(request.timeoutMs);
  await using opened = new AsyncDisposableStack();
  const markdown = opened.adopt(new Markdown(), (each) => each.close());
  const pool = { ...settings.pool, browsers: 1, concurrency: 1, sparePages: 1 };
  const engine = needsBrowser(request)
    ? opened.use(await startEngine({ ...settings, pool }, quietLogger, randomBytes(32)))
    : undefined;
  const services = {
    engine,
    ...openPdfReaders(opened, merging),
    markdown,
    templateFiller: { fill: notHere },
  };
  const at = { services, signing: undefined, principal: PRINCIPAL, owner: OWNER, deadline, hold() {} };
  return await assembleFile(request, at); // what was opened is closed afterwards
}

async function readRequest(inputs: string[], { pages, password }: Flags): Promise<{ body: object; files: UploadedFile[] }> {
  const [first = ''] = inputs;
  if (isBody(inputs)) return readBody(first);
  const files: UploadedFile[] = [];
  const parts = [];
  for (const [number, input] of inputs.entries()) {
    if (/^https?:\/\//i.test(input)) parts.push({ url: input });
    else if (/\.html?$/i.test(input)) parts.push({ html: await readInput(input) });
    else if (/\.(?:md|markdown)$/i.test(input)) parts.push({ markdown: await readInput(input) });
    else {
      const path = `${number}/${input === '-' ? 'stdin.pdf' : basename(input)}`;
      files.push(await readPdf(input, path));
      parts.push({ file: path, ...withoutUndefined({ pages, password }) });
    }
  }
  return { body: { parts, ...nameAfter(first) }, files };
}

/** The PDFs of a split have the name of the first input. */
function nameAfter(input: string): { filename?: string } {
  const filename = `${parse(input).name}.pdf`;
  return input !== '-' && isUsableFilename(filename) ? { filename } : {};
}

/** Whether the input is the whole request. */
function isBody(inputs: readonly string[]): boolean {
  return inputs.length === 1 && /\.json$/i.test(inputs[0] ?? '');
}

/** Files are named in relation to the JSON file. */
async function readBody(path: string): Promise<{ body: object; files: UploadedFile[] }> {
  const body = parseJson(await readInput(path), path);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ServiceError('invalid_request', `${path} must contain a JSON object`);
  const named = new Set(namesIn(body));
  const files = await Promise.all([...named].map((name) => readPdf(resolve(dirname(path), name), name)));
  return { body, files };
}

/** The values of all members `file` that are names. */
function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value))
    if (name === 'file' && typeof member === 'string' && member.length < 500 && /\.\w+$/.test(member)) yield member;
    else yield* namesIn(member);
}

async function readPdf(path: string, name: string): Promise<UploadedFile> {
  const content = await (path === '-' ? buffer(process.stdin) : readFile(path)).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  return { path: name, type: undefined, content };
}

function isImage(path: string): boolean {
  return mime.getType(path)?.startsWith('image/') === true;
}

/** The options that were given. */
function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** What is no number is refused with the name of its field. */
function toNumber(text: string | undefined): number | string | undefined {
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}
