/** A tagged PDF without claims is never refused, and has the appearance and text of the untagged one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { looksLike, textOf, write } from './printed.ts';

const AT_ONCE = 3;

let service: Service;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-tagged-'));
  service = await startService();
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('keeps the appearance and text of every document', async () => {
  const different: string[] = [];
  const waiting = documents();
  expect(waiting.length).toBeGreaterThan(150);
  const take = async () => {
    for (let document = waiting.shift(); document; document = waiting.shift()) different.push(...(await differences(document)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  expect(different).toEqual([]);
});

async function differences({ name, html, options = {} }: ConformanceDocument): Promise<string[]> {
  const render = async (more: object) => {
    const response = await service.pdf({ html, options: { ...options, ...more } });
    if (!response.ok) return undefined;
    return write(folder, `${name} ${JSON.stringify(more)}`, await bytesOf(response));
  };
  const [tagged, plain] = [await render({ tagged: true }), await render({ outline: false })];
  if (!tagged || !plain) return [`${name}: ${tagged ? '' : 'tagged'} ${plain ? '' : 'plain'} fails`];
  const hasSameText = (await textOf(tagged)) === (await textOf(plain));
  const hasSameLook = await looksLike(tagged, plain);
  return [...(hasSameText ? [] : [`${name}: text`]), ...(hasSameLook ? [] : [`${name}: look`])];
}
