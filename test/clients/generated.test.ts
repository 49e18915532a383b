/** The generated files of the clients say what the OpenAPI document says. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CLIENTS, clientFiles } from '../../tools/clients/files.ts';

test.each([...(await clientFiles())])('%s is what `npm run clients` writes', async (path, text) => {
  expect(await readFile(CLIENTS + path, 'utf8')).toBe(text);
});
