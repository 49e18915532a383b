/** Reads what `platen compare` renders: documents of a folder with the files beside them, or templates of a service with their sample data. */
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { callApi } from '../../mcp/api.ts';
import type { EngineName } from '../../templates/template.ts';
import { FolderFiles } from '../render/folder-files.ts';
import { fillTemplate, readInput } from '../render/render-file.ts';
import { isFolder, listFiles } from './document-pairs.ts';

/** An item of `POST /v1/batches`. */
export type Item = Record<string, unknown>;

export interface SourceDocument {
  name: string;
  /** An error if there is nothing to render. */
  item: Item | Error;
}

type Assets = Record<string, { content: string }>;

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

/** `input` is a folder or a file. */
export async function readDocuments(input: string): Promise<SourceDocument[]> {
  const [folder, names] = (await isFolder(input))
    ? [input, await listFiles(input, DOCUMENT)]
    : [dirname(input), [basename(input)]];
  if (!names.length) throw new ServiceError('invalid_request', `${input} contains no HTML or Markdown file`);
  return Promise.all(names.map(async (name) => ({ name, item: await toItem(folder, name) })));
}

/** A template without sample data is filled with none. One that cannot be filled fails alone. */
export async function readTemplates(url: string, key: string): Promise<SourceDocument[]> {
  const documents: SourceDocument[] = [];
  const read = async <T>(path: string) => (await callApi({ url, key }, path)).json() as Promise<T>;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: TemplateList = await read(`/v1/templates?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    for (const { template_id: id } of page.data) documents.push(...(await readTemplate(id, { url, key })));
    cursor = page.next_cursor;
  }
  if (!documents.length) throw new ServiceError('invalid_request', `the key has no templates at ${url}`);
  return documents;
}

interface TemplateList {
  data: Array<{ template_id: string }>;
  next_cursor: string | null;
}

interface Template {
  name: string;
  html: string;
  engine: EngineName;
  /** Data by their names. */
  samples?: Record<string, Record<string, unknown>>;
}

async function readTemplate(id: string, access: { url: string; key: string }): Promise<SourceDocument[]> {
  const path = `/v1/templates/${id}`;
  const { name, html, engine, samples = {} } = (await (await callApi(access, path)).json()) as Template;
  const { data: files } = (await (await callApi(access, `${path}/assets`)).json()) as { data: Array<{ path: string }> };
  const assets: Assets = {};
  for (const file of files) {
    const at = file.path.split('/').map(encodeURIComponent).join('/');
    const reply = await callApi(access, `${path}/assets/${at}`, { accept: '*/*' });
    assets[file.path] = { content: Buffer.from(await reply.arrayBuffer()).toString('base64') };
  }
  const given = Object.entries(samples).map(([sample, data]) => [`${name} (${sample})`, data] as const);
  const filled = (given.length ? given : [[name, {}] as const]).map(async ([title, data]) => ({
    name: title,
    item: await fillTemplate(engine, html, data).then((text) => withAssets({ html: text }, assets), toError),
  }));
  return Promise.all(filled);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function withAssets(item: Item, assets: Assets): Item {
  return Object.keys(assets).length ? { ...item, assets } : item;
}

async function toItem(folder: string, name: string): Promise<Item> {
  const path = join(folder, name);
  const text = await readInput(path);
  const kind = /\.html?$/i.test(name) ? 'html' : 'markdown';
  return withAssets({ [kind]: text }, Object.fromEntries(findAssets(path, text)));
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
