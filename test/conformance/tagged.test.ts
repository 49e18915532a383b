/** A tagged PDF without claims is never refused, and has the same appearance and text as the untagged one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { hasSameAppearance, savePdf, textOf } from './printed.ts';

const CONCURRENCY = 3;

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
  const work = async () => {
    for (let document = waiting.shift(); document; document = waiting.shift()) different.push(...(await differences(document)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  expect(different).toEqual([]);
});

async function differences({ name, html, options = {} }: ConformanceDocument): Promise<string[]> {
  const render = async (more: object) => {
    const response = await service.pdf({ html, options: { ...options, ...more } });
    if (!response.ok) return undefined;
    return savePdf(folder, `${name} ${JSON.stringify(more)}`, await bytesOf(response));
  };
  const [tagged, plain] = [await render({ tagged: true }), await render({ outline: false })];
  if (!tagged || !plain) return [`${name}: ${tagged ? '' : 'tagged'} ${plain ? '' : 'plain'} fails`];
  const hasSameText = (await textOf(tagged)) === (await textOf(plain));
  const hasSameLook = await hasSameAppearance(tagged, plain);
  return [...(hasSameText ? [] : [`${name}: text`]), ...(hasSameLook ? [] : [`${name}: look`])];
}
