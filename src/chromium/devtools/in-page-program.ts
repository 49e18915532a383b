/**
 * The program that runs in pages, as text: bundles of `src/in-page`, which `tools/bundle-in-page.ts` builds, with the settings of this
 * process. In a checkout, they are built again when the sources have changed.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import type { InPageSettings } from '../../in-page/contract/settings.ts';
import { PAPER_RATIO } from './emulation.ts';

/** The bundles by name, and the digest of what they were built from. */
export interface Bundles {
  digest: string;
  code: Record<'questions' | 'written' | 'visited' | 'worker', string>;
}

const FOLDER = new URL('../../in-page/', import.meta.url);
const FILE = new URL('bundles.json', FOLDER);
const BUILDER = new URL('../../../tools/bundle-in-page.ts', import.meta.url);
const BUNDLER = new URL('../../../node_modules/rolldown/package.json', import.meta.url);

/** A document can find the key in a window that is prepared for its scripts, but can neither ask nor list closed shadow roots without the secret. */
const SETTINGS: InPageSettings = { key: `platen.${randomUUID()}`, secret: randomUUID() };

/** The bundles of the present sources. */
export const BUNDLES = await currentBundles();
const { code } = BUNDLES;

/** Evaluate it in a world that has not answered. */
export const QUESTIONS = wrap(code.questions, SETTINGS);
/** Must be evaluated in a window into which a document is written, before any of its scripts. It is printed, unless it is told otherwise. */
export const WRITTEN_WINDOW = wrap(code.written, { ...SETTINGS, pixelRatio: PAPER_RATIO });
/** Must be evaluated in each worker before its script. */
export const WORKER = wrap(code.worker, SETTINGS);
/** Returns a `WorkerState` in a worker in which `WORKER` was evaluated. */
export const WORKER_STATE = `globalThis[${JSON.stringify(SETTINGS.key)}]?.()`;

/** Must be evaluated in a window that loads a document from a URL, before any of its scripts. */
export function visitedWindow(pixelRatio: number | undefined): string {
  return wrap(code.visited, { ...SETTINGS, ...(pixelRatio !== undefined && { pixelRatio }) });
}

/** Returns an expression that answers a question, or is undefined where the program is missing. */
export function askExpression(name: string, args: unknown[]): string {
  return `window[${JSON.stringify(SETTINGS.key)}]?.ask(${JSON.stringify(SETTINGS.secret)}, ${JSON.stringify(name)}, ${JSON.stringify(args)})`;
}

/** Returns a function that registers its arguments as shadow roots of the window. */
export function registerShadowsFunction(): string {
  return `(...roots) => void window[${JSON.stringify(SETTINGS.key)}]?.listShadows?.(${JSON.stringify(SETTINGS.secret)}, roots)`;
}

/** The program is strict, because otherwise a function of the document could read its callers. */
function wrap(bundle: string, settings: InPageSettings): string {
  return `(SETTINGS => { 'use strict'; ${bundle} })(${JSON.stringify(settings)})`;
}

/** A package, or sources without what bundles them, use what was built before. */
async function currentBundles(): Promise<Bundles> {
  const canBuild = import.meta.url.endsWith('.ts') && existsSync(BUILDER) && existsSync(BUNDLER);
  const built = readBundles();
  if (built && (!canBuild || built.digest === digestSources())) return built;
  if (!canBuild) throw new Error('the program that runs in pages is not built: run `npm ci` in a checkout, which builds it');
  const { bundle } = (await import(BUILDER.href)) as { bundle(folder: URL, digest: string): Promise<Bundles> };
  return bundle(FOLDER, digestSources());
}

/** Returns undefined if there are none, or if the file is broken. */
function readBundles(): Bundles | undefined {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Bundles;
  } catch {
    return undefined;
  }
}

/** Covers the sources and what bundles them. */
function digestSources(): string {
  const hash = createHash('sha256');
  for (const file of [BUILDER, BUNDLER]) hash.update(readFileSync(file));
  for (const path of globSync('**/*.ts', { cwd: FOLDER }).sort()) hash.update(path).update(readFileSync(new URL(path, FOLDER)));
  return hash.digest('hex');
}
