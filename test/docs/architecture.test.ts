/** ARCHITECTURE.md names every folder of `src`, and none of them has more files than a reader can take in. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';

const MAX_FILES = 20;

const folders = Map.groupBy(globSync('src/**/*.ts'), (path) => dirname(path));

test('no folder has more than 20 files side by side', () => {
  const crowded = [...folders].filter(([, files]) => files.length > MAX_FILES).map(([folder]) => folder);
  expect(crowded).toEqual([]);
});

test('ARCHITECTURE.md describes every folder', () => {
  const layout = readFileSync('ARCHITECTURE.md', 'utf8').split('```')[1] ?? '';
  const named = new Set(layout.match(/[\w-]+(?=\/)/g));
  expect([...folders.keys()].map((folder) => basename(folder)).filter((name) => !named.has(name))).toEqual([]);
});
