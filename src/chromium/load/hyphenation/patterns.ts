/**
 * Hyphenates words by the patterns of TeX, which the optional package hyphenopoly has as one WebAssembly module for each language. See
 * docs/decisions/0101-hyphenation.md.
 */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MAX_HYPHENATED_WORD } from '../../../in-page/contract/limits.ts';

/** What a module exports. A word is written to the start of its memory, and the hyphenated word replaces it. */
interface PatternModule {
  mem: { buffer: ArrayBuffer };
  /** The least number of characters before and after a hyphen. */
  lmi: { value: number };
  rmi: { value: number };
  /** Returns the length of the hyphenated word, or 0 for a word with characters that the language does not have. */
  hyphenate(before: number, after: number, hyphen: number): number;
}

/** Returns the word with soft hyphens. */
export type Hyphenator = (word: string) => string;

const SOFT_HYPHEN = 0xad;
const EXTENSION = '.wasm';
/** Languages whose files are named otherwise. A tag without an entry is tried without its last part, so that `de-AT` becomes `de`. */
const FILES: Record<string, string> = {
  ...{ en: 'en-us', 'en-au': 'en-gb', 'en-ie': 'en-gb', 'en-in': 'en-gb', 'en-nz': 'en-gb', 'en-za': 'en-gb' },
  ...{ el: 'el-monoton', ku: 'kmr', mn: 'mn-cyrl', mo: 'ro', 'zh-latn': 'zh-latn-pinyin' },
  ...{ bs: 'sh-latn', 'bs-cyrl': 'sh-cyrl', sh: 'sh-latn', sr: 'sr-cyrl', 'sr-latn': 'sh-latn' },
};
/** Thai has no hyphens. */
const WITHOUT_HYPHENS = new Set(['th']);

const modules = new Map<string, Promise<Hyphenator>>();
let installed: Promise<Set<string>> | undefined;

/** Returns undefined for a language without patterns. */
export async function findHyphenator(language: string): Promise<Hyphenator | undefined> {
  installed ??= listPatterns();
  const name = findFile(language, await installed);
  if (name === undefined) return undefined;
  const known = modules.get(name) ?? load(name);
  modules.set(name, known);
  return known;
}

/** The names of all patterns; empty if the package is not installed. */
async function listPatterns(): Promise<Set<string>> {
  try {
    const files = await readdir(fileURLToPath(patternUrl('')));
    const names = files.filter((file) => file.endsWith(EXTENSION)).map((file) => file.slice(0, -EXTENSION.length));
    return new Set(names.filter((name) => !WITHOUT_HYPHENS.has(name)));
  } catch {
    return new Set();
  }
}

/** Throws if the package is not installed. */
function patternUrl(file: string): URL {
  return new URL(`patterns/${file}`, import.meta.resolve('hyphenopoly'));
}

function findFile(language: string, names: ReadonlySet<string>): string | undefined {
  const parts = language.toLowerCase().replaceAll('_', '-').split('-');
  for (; parts.length; parts.pop()) {
    const tag = parts.join('-');
    const file = (Object.hasOwn(FILES, tag) && FILES[tag]) || tag;
    if (names.has(file)) return file;
  }
  return undefined;
}

async function load(name: string): Promise<Hyphenator> {
  const { instance } = await WebAssembly.instantiate(await readFile(patternUrl(name + EXTENSION)));
  const { mem, lmi, rmi, hyphenate } = instance.exports as unknown as PatternModule;
  const memory = new Uint16Array(mem.buffer);
  const [before, after] = [Math.max(1, lmi.value), Math.max(1, rmi.value)];
  return (word) => {
    if (word.length > MAX_HYPHENATED_WORD) return word;
    for (let at = 0; at < word.length; at++) memory[at] = word.charCodeAt(at);
    memory[word.length] = 0;
    const length = hyphenate(before, after, SOFT_HYPHEN);
    return length ? String.fromCharCode(...memory.subarray(0, length)) : word;
  };
}
