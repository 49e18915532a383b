/** Finds what `platen compare` compares: two PDFs, or the PDFs of two folders by their paths. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { ServiceError } from '../../errors.ts';
import type { PageDifference } from '../../uploads/compare/compare-worker.ts';
import { unreadable } from '../render/render-file.ts';

type ReadPdf = () => Promise<Uint8Array>;

export interface DocumentPair {
  name: string;
  /** Undefined if there is only the other one. They may throw what is wrong with the document. */
  before: ReadPdf | undefined;
  after: ReadPdf | undefined;
}

export interface DocumentDifference {
  document: string;
  status: PageDifference['status'] | 'failed';
  /** Counts of pages by their status. */
  pages: Record<PageDifference['status'], number>;
  /** Pages that differ. */
  differences: PageDifference[];
  /** Only of a document that failed. */
  error?: string;
}

export async function findPairs(before: string, after: string): Promise<DocumentPair[]> {
  const areFolders = [await isFolder(before), await isFolder(after)];
  if (areFolders[0] !== areFolders[1]) throw new ServiceError('invalid_request', 'compare two PDFs, or two folders with PDFs');
  if (!areFolders[0]) return [{ name: basename(before), before: () => readFile(before), after: () => readFile(after) }];
  const [first, second] = [await listFiles(before, /\.pdf$/i), await listFiles(after, /\.pdf$/i)];
  const names = [...new Set([...first, ...second])].sort();
  if (!names.length) throw new ServiceError('invalid_request', `neither ${before} nor ${after} contains a PDF`);
  const reader = (folder: string, names: string[], name: string) =>
    names.includes(name) ? () => readFile(join(folder, name)) : undefined;
  return names.map((name) => ({ name, before: reader(before, first, name), after: reader(after, second, name) }));
}

/** Paths of files in a folder and below, except those that are hidden or belong to packages. */
export async function listFiles(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
  const prefix = join(folder, sep).length;
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(prefix));
  return paths.filter((path) => !path.split(sep).some((step) => step.startsWith('.') || step === 'node_modules')).sort();
}

export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  return found.isDirectory();
}
