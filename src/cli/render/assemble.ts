/** `platen assemble`, `split`, `stamp` and `extract`: put a PDF together from files, change it or read what it holds, without a server. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import mime from 'mime';
import { loadConfig } from '../../config.ts';
import { Deadline } from '../../deadline.ts';
import { startEngine } from '../../engine.ts';
import { ServiceError } from '../../errors.ts';
import { Markdown } from '../../markdown/markdown.ts';
import { assembleFile, needsBrowser } from '../../render/assembly/assemble.ts';
import { parseAssemblyRequest } from '../../render/assembly/assembly-request.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import { changeToCallerFolder } from './caller-folder.ts';
import { notHere, openPdfReaders } from './pdf-readers.ts';
import { parseJson, quietLogger, readInput, unreadable } from './render-file.ts';

interface Flags {
  output: string;
  pages?: string;
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
  await assemble(inputs, flags, async () => ({ steps: [{ split: Object.keys(stated).length ? stated : { every: 1 } }] }));
}

/** Draws a text, an image or the first page of a PDF over or under the pages of inputs as `assembleFiles` takes them. */
export async function stampFiles(inputs: string[], flags: StampFlags): Promise<void> {
  const { output, pages, under, text, file, on, position, size, color, opacity, rotate } = flags;
  await assemble(inputs, { output, ...(pages !== undefined && { pages }) }, async () => {
    const looks = { position, color, font_size: toNumber(size), opacity: toNumber(opacity), rotate: toNumber(rotate) };
    const drawn = { text, ...(file !== undefined && { [isImage(file) ? 'image' : 'file']: DRAWN }), pages: on, ...looks };
    const files = file === undefined ? [] : [await readPdf(file, DRAWN)];
    return { steps: [{ [under ? 'watermark' : 'stamp']: withoutUndefined(drawn) }], files };
  });
}

/** Of inputs that are PDFs. */
export async function extractFiles(inputs: string[], { what, ...flags }: ExtractFlags): Promise<void> {
  await assemble(inputs, flags, async () => ({ steps: [{ extract: what ? { what } : {} }] }));
}

/** `readSteps` reads files in the folder of the caller. */
async function assemble(
  inputs: string[],
  { output, pages }: Flags,
  readSteps: () => Promise<{ steps?: unknown; files?: UploadedFile[] }>,
): Promise<void> {
  const { engine: settings, limits, merging } = loadConfig();
  changeToCallerFolder();
  const { body, files } = await readRequest(inputs, pages);
  const { files: drawn = [], ...given } = await readSteps();
  const most = { ...limits, maxAssets: Number.POSITIVE_INFINITY, maxAssetsBytes: Number.POSITIVE_INFINITY };
  const request = parseAssemblyRequest({ ...body, ...given }, most, [...files, ...drawn]);
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
  const { chunks } = await assembleFile(request, at);
  const content = Buffer.concat(chunks);
  if (output === '-') process.stdout.write(content);
  else await writeFile(resolve(output), content);
}

async function readRequest(inputs: string[], pages: string | undefined): Promise<{ body: object; files: UploadedFile[] }> {
  const [first = ''] = inputs;
  if (inputs.length === 1 && /\.json$/i.test(first)) return readBody(first);
  const files: UploadedFile[] = [];
  const parts = [];
  for (const [number, input] of inputs.entries()) {
    if (/^https?:\/\//i.test(input)) parts.push({ url: input });
    else if (/\.html?$/i.test(input)) parts.push({ html: await readInput(input) });
    else if (/\.(?:md|markdown)$/i.test(input)) parts.push({ markdown: await readInput(input) });
    else {
      const path = `${number}/${basename(input)}`;
      files.push(await readPdf(input, path));
      parts.push({ file: path, ...(pages !== undefined && { pages }) });
    }
  }
  return { body: { parts }, files };
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
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
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
