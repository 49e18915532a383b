/**
 * The program that runs in pages, as text: bundles of `src/in-page`, which `tools/bundle-in-page.ts` builds, with the settings of this
 * process. In a checkout, they are built again when the sources have changed.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import type { InPageSettings } from '../../in-page/contract/settings.ts';

/** The bundles by name, and the digest of the sources from which they were built. */
export interface Bundles {
  digest: string;
  code: Record<'questions' | 'written' | 'visited' | 'worker', string>;
}

const FOLDER = new URL('../../in-page/', import.meta.url);
const FILE = new URL('bundles.json', FOLDER);
const BUILDER = new URL('../../../tools/bundle-in-page.ts', import.meta.url);

/** A document cannot guess the key, nor list closed shadow roots without the secret. */
const SETTINGS: InPageSettings = { key: `platen.${randomUUID()}`, secret: randomUUID() };

const { code } = await currentBundles();

/** Evaluate it in a world that has not answered. */
export const QUESTIONS = wrap(code.questions, SETTINGS);
/** Must be evaluated in a window into which a document is written, before any of its scripts. */
export const WRITTEN_WINDOW = wrap(code.written, SETTINGS);
/** Must be evaluated in each worker before its script. */
export const WORKER = wrap(code.worker, SETTINGS);

/** Must be evaluated in a window that loads a document from a URL, before any of its scripts. */
export function visitedWindow(pixelRatio: number | undefined): string {
  return wrap(code.visited, { ...SETTINGS, ...(pixelRatio !== undefined && { pixelRatio }) });
}

/** Returns an expression that answers a question, or is undefined where the program is missing. */
export function askExpression(name: string, args: unknown[]): string {
  return `window[${JSON.stringify(SETTINGS.key)}]?.ask(${JSON.stringify(name)}, ${JSON.stringify(args)})`;
}

/** Returns a function that registers its arguments as shadow roots of the window. */
export function registerShadowsFunction(): string {
  return `(...roots) => void window[${JSON.stringify(SETTINGS.key)}]?.listShadows(${JSON.stringify(SETTINGS.secret)}, roots)`;
}

/** The program is strict, because otherwise a function of the document could read its callers. */
function wrap(bundle: string, settings: InPageSettings): string {
  return `(SETTINGS => { 'use strict'; ${bundle} })(${JSON.stringify(settings)})`;
}

/** A package has no sources of the program. */
async function currentBundles(): Promise<Bundles> {
  const built = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Bundles) : undefined;
  if (built && (!existsSync(BUILDER) || built.digest === sourceDigest())) return built;
  const { bundle } = (await import(BUILDER.href)) as { bundle(folder: URL, digest: string): Promise<Bundles> };
  return bundle(FOLDER, sourceDigest());
}

function sourceDigest(): string {
  const hash = createHash('sha256');
  for (const path of globSync('**/*.ts', { cwd: FOLDER }).sort()) hash.update(path).update(readFileSync(new URL(path, FOLDER)));
  return hash.digest('hex');
}
