/** The generated files of the Python client match the OpenAPI document, and the guide names every method. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CLIENTS, clientFiles } from '../../tools/clients/files.ts';
import { publishedOpenApi } from '../../tools/docs/openapi.ts';

const committed = [...(await clientFiles())].filter(([path]) => path.startsWith('python'));

test.each(committed)('%s is up to date with `npm run clients`', async (path, text) => {
  expect(await readFile(CLIENTS + path, 'utf8')).toBe(text);
});

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Returns the names of all methods, such as `templates.putAsset`. */
async function methods(): Promise<string[]> {
  const resources = await read('clients/typescript/src/resources.ts');
  const own = methodsIn(await read('clients/typescript/src/index.ts'));
  const classes = resources.split(/^export class /m).slice(1);
  return [...own, ...classes.flatMap((text) => methodsIn(text).map((name) => `${/\w+/.exec(text)?.[0].toLowerCase()}.${name}`))];
}

function methodsIn(code: string): string[] {
  const names = [...code.matchAll(/^ {2}(?:async )?\*?([a-z]\w*)\(/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'constructor');
}

test('has every method of the TypeScript client in the Python client', async () => {
  const python = await read('clients/python/src/platen/_async_client.py');
  const wanted = (await methods()).map((name) =>
    name.replace(/.*\./, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect(wanted.length).toBeGreaterThan(40);
  expect(wanted.filter((name) => !python.includes(`def ${name}(`))).toEqual([]);
});

test('documents every method, and every endpoint for a key, in the guide', async () => {
  const rows = [...(await read('docs/guide/clients.md')).matchAll(/^\| `([A-Z]+ \/v1\S+)` +\| (.+?) +\|$/gm)];
  const { paths } = await publishedOpenApi();
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) => (security ? [] : `${method.toUpperCase()} ${path}`)),
  );
  expect(rows.map(([, endpoint]) => endpoint).toSorted()).toEqual(endpoints.toSorted());
  const named = rows.flatMap(([, , cell = '']) => [...cell.matchAll(/`([\w.]+)\(/g)].map(([, name]) => name));
  expect(named.toSorted()).toEqual((await methods()).toSorted());
});
