/** `platen render`: renders an HTML or Markdown file, or a URL, to a PDF file without a server. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { loadConfig } from '../../config.ts';
import type { HostedFiles } from '../../egress/hosted-assets.ts';
import { startEngine } from '../../engine.ts';
import { ServiceError } from '../../errors.ts';
import { printAlone } from '../../render/pdf.ts';
import { requireNone } from '../../render/report.ts';
import type { RenderReport } from '../../render/report-schema.ts';
import { parseRenderRequest, type RenderRequest } from '../../render/request/render-request.ts';
import { MAX_HTML_BYTES } from '../../render/request/schemas/options-schema.ts';
import { suggestAssets } from '../../render/request/values/document-size.ts';
import { LiquidEngine } from '../../templates/liquid/liquid.ts';
import { fillPlaceholders, parsePlaceholders } from '../../templates/placeholders.ts';
import type { EngineName } from '../../templates/template.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { changeToCallerFolder } from './caller-folder.ts';
import { FolderFiles } from './folder-files.ts';
import { requireOutput } from './output-file.ts';
import { openPdfReaders, printerOnLetterheads } from './pdf-readers.ts';

/** Nothing but the PDF may reach standard output; warnings go to standard error. */
export const quietLogger = {
  info: () => {},
  warn: (_details: object, message: string) => process.stderr.write(`platen: ${message}\n`),
};

const OWNER = { boundary: 'file', shareOf: 'file', isOperator: true };

export interface RenderFlags {
  /** Default: the name of the input with the extension `.pdf`, in the same folder. */
  output?: string;
  options?: string;
  format?: string;
  margin?: string;
  letterhead?: string;
  invoice?: string;
  invoiceProfile?: string;
  template?: EngineName;
  data?: string;
  open?: boolean;
}

export async function renderFile(input: string, flags: RenderFlags): Promise<void> {
  const { engine: settings, limits, merging } = loadConfig();
  changeToCallerFolder();
  const path = chooseOutput(input, flags);
  await requireOutput(path, [input]);
  const options = await readOptions(flags);
  const source = await fillSource(await readSource(input), flags);
  const parsed = parseRenderRequest({ ...source, ...(options && { options }) }, limits);
  const request = { ...parsed, assets: filesBeside(input, parsed, limits.maxAssetsBytes) };
  const pool = { ...settings.pool, browsers: 1, concurrency: 1, sparePages: 1 };
  await using opened = new AsyncDisposableStack();
  const engine = opened.use(await startEngine({ ...settings, pool }, quietLogger, randomBytes(32)));
  const print = printerOnLetterheads(openPdfReaders(opened, merging));
  const pdf = await printAlone(engine, request, OWNER, undefined, print);
  requireNone(request.failOnWarning, pdf.report);
  printWarnings(pdf.report);
  const output = path === '-' ? process.stdout : createWriteStream(path);
  await pipeline(Readable.from(pdf.chunks), output);
  if (flags.output === undefined) process.stderr.write(`platen: wrote ${path}\n`);
  if (flags.open) await open(path);
}

/** The path of the PDF, or `-`. */
function chooseOutput(input: string, { output, open }: RenderFlags): string {
  if (open && output === '-') throw new ServiceError('invalid_request', '--open needs a file: it cannot be combined with -o -');
  if (output === '-') return output;
  if (output === undefined && (input === '-' || isAddress(input)))
    throw new ServiceError('invalid_request', '-o is required with a URL and with standard input: name a file for the PDF, or -');
  return resolve(output ?? `${input.replace(/\.[^./]+$/, '')}.pdf`);
}

function isAddress(input: string): boolean {
  return /^https?:\/\//i.test(input);
}

/** Flags take precedence over the options file. */
async function readOptions(flags: RenderFlags): Promise<object | undefined> {
  const { options: path, format, margin } = flags;
  const given = path === undefined ? undefined : parseJson(await readInput(path), path);
  const others = { ...(await readInvoiceFlags(flags)), ...(await readLetterhead(given, flags)) };
  if (format === undefined && margin === undefined && !Object.keys(others).length) return given as object | undefined;
  return { ...(given as object), ...(format !== undefined && { format }), ...(margin !== undefined && { margin }), ...others };
}

/** What is longer is the PDF itself, as base64. */
const MAX_NAME = 500;
/** Readers look for the beginning of a PDF this far. */
const MAX_HEADER = 1_024;

/** The letterhead of the flag, or that which the options name in relation to their file. */
async function readLetterhead(given: unknown, { letterhead: path, options = '' }: RenderFlags): Promise<object | undefined> {
  const own = (given as { letterhead?: { file?: unknown } } | undefined)?.letterhead;
  const named = typeof own?.file === 'string' && own.file.length < MAX_NAME && resolve(dirname(options), own.file);
  const file = path === undefined ? named : resolve(path);
  if (!file) return undefined;
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error);
  });
  if (!content.subarray(0, MAX_HEADER).includes('%PDF-')) throw new ServiceError('invalid_request', `${file} is not a PDF`);
  return { letterhead: { ...own, file: content.toString('base64') } };
}

async function readInvoiceFlags({ invoice: path, invoiceProfile: profile }: RenderFlags): Promise<object | undefined> {
  if (path === undefined && profile === undefined) return undefined;
  if (path === undefined || profile === undefined)
    throw new ServiceError('invalid_request', '--invoice and --invoice-profile must be used together');
  return { invoice: { xml: await readInput(path), profile } };
}

type Source = { url: string } | { html: string } | { markdown: string };

/** Fills a file that is a template with its data. */
async function fillSource(source: Source, { template, data: path }: RenderFlags): Promise<Source> {
  if (template === undefined && path === undefined) return source;
  if (!('html' in source)) throw new ServiceError('invalid_request', '--template and --data can be used only with an HTML file');
  const data = path === undefined ? {} : parseJson(await readInput(path), path);
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new ServiceError('invalid_request', `${path} must contain a JSON object`);
  const html = await fillTemplate(template ?? 'placeholders', source.html, data as Record<string, unknown>).catch(suggestAssets);
  return { html };
}

export async function fillTemplate(engine: EngineName, html: string, data: Record<string, unknown>): Promise<string> {
  if (engine === 'placeholders') return fillPlaceholders(parsePlaceholders(html), data, MAX_HTML_BYTES);
  const liquid = new LiquidEngine();
  try {
    return await liquid.fill('', { key: 'file', html }, data, MAX_HTML_BYTES);
  } finally {
    liquid.close();
  }
}

/** The files next to the document. Undefined for a URL, for standard input, and if relative URLs have another base. */
function filesBeside(input: string, { source, baseUrl }: RenderRequest, maxBytes: number): HostedFiles | undefined {
  return source.kind === 'url' || input === '-' || baseUrl !== undefined ? undefined : new FolderFiles(input, maxBytes);
}

async function open(path: string): Promise<void> {
  const child = spawn('xdg-open', [path], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn').catch(() => {
    throw new ServiceError('invalid_request', `${path} was written but cannot be opened, because xdg-open is not installed`);
  });
  child.unref();
}

export function printWarnings({ warnings, warning_count: count, dropped = [] }: RenderReport): void {
  for (const warning of warnings) process.stderr.write(`platen: ${describeWarning(warning)}\n`);
  if (count > warnings.length) process.stderr.write(`platen: and ${count - warnings.length} more\n`);
  for (const { what, why } of dropped) process.stderr.write(`platen: dropped ${what}: ${why}\n`);
}

export function describeWarning({ kind, message, url, host }: RenderReport['warnings'][number]): string {
  const what = url ?? host;
  return `${kind}: ${what ? `${what}: ` : ''}${message}`;
}

async function readSource(input: string): Promise<Source> {
  if (isAddress(input)) return { url: input };
  if (/\.(?:md|markdown)$/i.test(input)) return { markdown: await readInput(input) };
  return { html: input === '-' ? decode(await buffer(process.stdin), 'standard input', 'in.html') : await readInput(input) };
}

export async function readInput(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  return decode(bytes, path, path);
}

function decode(bytes: Buffer, what: string, file: string): string {
  try {
    return decodeUtf8(bytes, file);
  } catch (error) {
    throw new ServiceError('invalid_request', `${what} ${(error as Error).message}`);
  }
}

/** Explains an error of the file system. */
export function unreadable(path: string, { code, message }: NodeJS.ErrnoException): ServiceError {
  const why = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' }[code ?? ''] ?? message;
  return new ServiceError('invalid_request', `cannot read ${resolve(path)}: ${why}`);
}

export function parseJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new ServiceError('invalid_request', `${path} is not JSON: ${(error as Error).message}`);
  }
}
