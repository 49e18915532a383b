/** Relative links in documents lead to existing files and headings, and named files exist. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  anchorsOf,
  type Document,
  namedPaths,
  PROJECT,
  readDocuments,
  relativeLinks,
  resolveLink,
} from '../../tools/docs/documents.ts';

const documents = await readDocuments();
const byPath = new Map(documents.map((document) => [document.path, document]));

test.each(documents.map((document) => [document.path, document] as const))(
  '%s has valid links and names existing files',
  (_path, document) => {
    expect(relativeLinks(document).filter((link) => !leadsSomewhere(document, link))).toEqual([]);
    if (document.path !== 'CHANGELOG.md')
      expect(namedPaths(document).filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  },
);

function leadsSomewhere(document: Document, link: string): boolean {
  const { path, anchor } = resolveLink(document, link);
  if (!existsSync(join(PROJECT, path))) return false;
  if (anchor === undefined) return true;
  const target = byPath.get(path);
  return target !== undefined && anchorsOf(target).has(anchor);
}
