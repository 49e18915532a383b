/** Renders the documents of a folder twice, by two browsers, two versions of Platen, or a service: a folder in, pairs of PDFs out. */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, ServiceError } from '../../errors.ts';
import { callApi } from '../../mcp/api.ts';
import type { ItemResult } from '../render/batch-output.ts';
import { FolderFiles } from '../render/folder-files.ts';
import { parseJson, readInput } from '../render/render-file.ts';
import { type DocumentPair, isFolder, listFiles } from './document-pairs.ts';

/** What renders. Without both, this version with the browser of its settings. */
export interface Side {
  /** The folder of another version, or the URL of a service. */
  version?: string | undefined;
  browser?: string | undefined;
}

interface Rendering {
  /** A file with the options of all documents. */
  options: string | undefined;
  /** For services. */
  key: string | undefined;
}

/** An item of `POST /v1/batches`. */
type Item = Record<string, unknown>;

/** Reads a PDF, or throws why it was not rendered. */
type Rendered = () => Promise<Uint8Array>;

const DOCUMENT = /\.(?:html?|md|markdown)$/i;
/** Files that may name further files. */
const NAMES_FILES = /^text\/css$|^image\/svg|javascript$/;
const QUOTES = /["'()<>]/;
const QUOTES_AND_BLANKS = /["'()<>\s=,]/;
const HAS_EXTENSION = /\.\w{2,5}(?:[?#]|$)/;
const MAX_PATH = 300;
/** A host that stands for the folder of the document. */
const HERE = 'folder.invalid';
const MAX_FILE_BYTES = 25_165_824;
const MAX_OUTPUT_BYTES = 16_777_216;
const COMMANDS = ['src/cli.ts', 'dist/cli.js'];
const IS_URL = /^https?:\/\//i;

export async function renderPairs(input: string, sides: [Side, Side], { options, key }: Rendering) {
  const given = options === undefined ? undefined : parseJson(await readInput(options), options);
  const [folder, names] = (await isFolder(input))
    ? [input, await listFiles(input, DOCUMENT)]
    : [dirname(input), [basename(input)]];
  if (!names.length) throw new ServiceError('invalid_request', `${input} contains no HTML or Markdown file`);
  const items = await Promise.all(
    names.map(async (name) => ({ ...(await toItem(folder, name)), ...(given ? { options: given } : {}) })),
  );
  const scratch = await mkdtempDisposable(join(tmpdir(), 'platen-compare-'));
  const render = (side: Side, name: string) =>
    side.version !== undefined && IS_URL.test(side.version)
      ? renderByService(side.version, key, items)
      : renderByVersion(side, items, join(scratch.path, name));
  try {
    const [before, after] = await Promise.all([render(sides[0], 'before'), render(sides[1], 'after')]);
    const documents = names.map((name, index): DocumentPair => ({ name, before: before[index], after: after[index] }));
    return { documents, [Symbol.asyncDispose]: () => scratch.remove() };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function toItem(folder: string, name: string): Promise<Item> {
  const path = join(folder, name);
  const text = await readInput(path);
  const assets = Object.fromEntries(findAssets(path, text));
  const kind = /\.html?$/i.test(name) ? 'html' : 'markdown';
  return { [kind]: text, ...(Object.keys(assets).length && { assets }) };
}

/** The files beside a document that it names, directly or in a style sheet or script, by their paths. */
function findAssets(document: string, text: string): Map<string, { content: string }> {
  const beside = new FolderFiles(document, MAX_FILE_BYTES);
  const assets = new Map<string, { content: string }>();
  const texts = [{ path: '', text }];
  for (const from of texts)
    for (const path of namedPaths(from)) {
      const found = assets.has(path) ? undefined : beside.get(path);
      if (!found) continue;
      assets.set(path, { content: found.content.toString('base64') });
      if (NAMES_FILES.test(found.type)) texts.push({ path, text: found.content.toString() });
    }
  return assets;
}

/** What looks like the path of a file, in relation to the file that names it. Whether there is such a file is found out by reading it. */
function* namedPaths({ path, text }: { path: string; text: string }): Generator<string> {
  for (const name of new Set([...text.split(QUOTES), ...text.split(QUOTES_AND_BLANKS)])) {
    if (name.length > MAX_PATH || !HAS_EXTENSION.test(name)) continue;
    const url = URL.parse(name, `http://${HERE}/${path}`);
    if (url?.host === HERE) yield decode(url.pathname.slice(1));
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Runs `platen batch` of a version, so that nothing of it is loaded into this process. */
async function renderByVersion({ version, browser }: Side, items: Item[], folder: string): Promise<Rendered[]> {
  const command = version === undefined ? process.argv[1] : await findCommand(version);
  const name = [version ?? 'this version', ...(browser === undefined ? [] : [browser])].join(' with ');
  const input = `${folder}.ndjson`;
  await writeFile(input, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  const env = {
    ...process.env,
    ...(browser !== undefined && { PLATEN_BROWSER_PATH: browser.includes(sep) ? resolve(browser) : browser }),
  };
  const given = [...process.execArgv, command ?? '', 'batch', input, '-o', folder, '--json'];
  const ended = await promisify(execFile)(process.execPath, given, { env, maxBuffer: MAX_OUTPUT_BYTES }).catch(
    (error: Error & { stderr: string }) => error,
  );
  const list = await readFile(join(folder, 'results.ndjson'), 'utf8').catch(() => '');
  const results = list
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ItemResult);
  if (results.length !== items.length) throw new CommandError(`${name} rendered nothing: ${ended.stderr.trim()}`);
  return results.map(({ file, error }) => async () => {
    if (file !== null) return readFile(join(folder, file));
    throw new ServiceError('invalid_request', `${name}: ${error?.detail ?? 'was not rendered'}`);
  });
}

async function findCommand(version: string): Promise<string> {
  for (const path of COMMANDS.map((each) => resolve(version, each)))
    if (
      await stat(path).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return path;
  throw new ServiceError(
    'invalid_request',
    `${version} is neither a URL nor the folder of a checkout or an installed package of Platen`,
  );
}

/** One after the other, so that the service is not kept busy. */
async function renderByService(url: string, key: string | undefined, items: Item[]): Promise<Rendered[]> {
  if (!key) throw new ServiceError('unauthorized', 'set PLATEN_API_KEY to a key of the service');
  const rendered: Rendered[] = [];
  for (const item of items) {
    const pdf = await callApi({ url, key }, '/v1/pdf', {
      method: 'POST',
      accept: 'application/pdf',
      body: { ...item, store: false },
    })
      .then(async (response) => Buffer.from(await response.arrayBuffer()))
      .catch((error: Error) => new CommandError(error.message));
    rendered.push(async () => {
      if (pdf instanceof Error) throw pdf;
      return pdf;
    });
  }
  return rendered;
}
