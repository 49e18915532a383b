/** Renders documents twice, by two browsers, two versions of Platen, or a service: documents in, pairs of PDFs out. */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, ServiceError } from '../../errors.ts';
import { callApi } from '../../mcp/api.ts';
import type { ItemResult } from '../render/batch-output.ts';
import type { DocumentPair } from './document-pairs.ts';
import type { Item, SourceDocument } from './source-documents.ts';

/** What renders. Without both, this version with the browser of its settings. */
export interface Side {
  /** The folder of another version, or the URL of a service. */
  version?: string | undefined;
  browser?: string | undefined;
}

/** Reads a PDF, or throws why it was not rendered. */
type Rendered = () => Promise<Uint8Array>;

const MAX_OUTPUT_BYTES = 16_777_216;
const COMMANDS = ['src/cli.ts', 'dist/cli.js'];
export const IS_URL = /^https?:\/\//i;

/** `key` is for a service. */
export async function renderPairs(documents: SourceDocument[], sides: [Side, Side], key: string | undefined) {
  const items = documents.flatMap(({ item }) => (item instanceof Error ? [] : [item]));
  const scratch = await mkdtempDisposable(join(tmpdir(), 'platen-compare-'));
  const stop = new AbortController();
  const render = (side: Side, name: string) =>
    side.version !== undefined && IS_URL.test(side.version)
      ? renderByService(side.version, key, items, stop.signal)
      : renderByVersion(side, items, join(scratch.path, name), stop.signal);
  try {
    const [before, after] = await Promise.all([render(sides[0], 'before'), render(sides[1], 'after')]);
    let next = 0;
    const pairs = documents.map(({ name, item }): DocumentPair => {
      if (item instanceof Error) return { name, before: () => Promise.reject(item), after: () => Promise.reject(item) };
      return { name, before: before[next], after: after[next++] };
    });
    return { documents: pairs, [Symbol.asyncDispose]: () => scratch.remove() };
  } catch (error) {
    stop.abort(); // what the other side still renders
    await scratch.remove();
    throw error;
  }
}

/** Runs `platen batch` of a version, so that nothing of it is loaded into this process. */
async function renderByVersion(
  { version, browser }: Side,
  items: Item[],
  folder: string,
  signal: AbortSignal,
): Promise<Rendered[]> {
  const command = version === undefined ? process.argv[1] : await findCommand(version);
  const name = [version ?? 'this version', ...(browser === undefined ? [] : [browser])].join(' with ');
  const input = `${folder}.ndjson`;
  await writeFile(input, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  const env = {
    ...process.env,
    ...(browser !== undefined && { PLATEN_BROWSER_PATH: browser.includes(sep) ? resolve(browser) : browser }),
  };
  const given = [...process.execArgv, command ?? '', 'batch', input, '-o', folder, '--json'];
  const ended = await promisify(execFile)(process.execPath, given, { env, maxBuffer: MAX_OUTPUT_BYTES, signal }).catch(
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
async function renderByService(url: string, key: string | undefined, items: Item[], signal: AbortSignal): Promise<Rendered[]> {
  const access = { url, key: requireKey(key), signal };
  const rendered: Rendered[] = [];
  for (const item of items) {
    const pdf = await callApi(access, '/v1/pdf', {
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

export function requireKey(key: string | undefined): string {
  if (!key) throw new ServiceError('unauthorized', 'set PLATEN_API_KEY to a key of the service');
  return key;
}
