/** Unmodified clients of Gotenberg, and the requests of its Go client: a page with files, an image, and PDFs that are changed. */
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { closeAfterAll, makeTestFolder } from '../support/close-after-all.ts';
import { openPdf } from '../support/open-pdf.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { nodePackages, pythonEnvironment } from './packages.ts';
import { run } from './run.ts';

const A5_WIDTH = 419;

let folder: string;

const service = await startService({ PLATEN_GOTENBERG_ROUTES: 'on', PLATEN_OUTBOUND_ALLOW: '127.0.0.1' }).then(closeAfterAll);
const env = { PLATEN_KEY: service.key, PLATEN_URL: service.url };

beforeEach(async () => {
  folder = await makeTestFolder('gotenberg');
});

const program = (name: string) => cp(new URL(name, import.meta.url).pathname, folder, { recursive: true });

async function expectResults(text: string): Promise<void> {
  const [page, merged] = await Promise.all(
    ['page.pdf', 'merged.pdf'].map(async (name) => readPdf(await readFile(join(folder, name)))),
  );
  expect(page?.pages).toEqual([expect.stringContaining(text)]);
  expect(Math.floor(page?.sizes[0]?.width ?? 0)).toBe(A5_WIDTH);
  expect(merged?.pages).toHaveLength(2);
  expect(merged?.title).toBe('Merged');
  const png = await readFile(join(folder, 'page.png'));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
}

/** What the routes around PDFs have made of the page and of the merged one. */
async function expectChanges(text: string): Promise<void> {
  const bytesOf = (name: string) => readFile(join(folder, `${name}.pdf`));
  const pagesOf = async (name: string) => (await readPdf(await bytesOf(name))).pages;
  for (const name of ['split', 'flattened', 'archived']) expect(await pagesOf(name)).toEqual([text]);
  expect((await pagesOf('watermark'))[0]).toMatch(/B/); // "Below", turned
  expect(await pagesOf('stamp')).toEqual([text + text, text]);
  await expect(pagesOf('encrypted')).rejects.toThrow(/password/i);
  await using rotated = await openPdf(await bytesOf('rotated'));
  const turned = [1, 2].map(async (page) => (await rotated.document.getPage(page)).rotate);
  expect(await Promise.all(turned)).toEqual([0, 90]);
  const { attachments } = await readFinished(await bytesOf('embedded'));
  expect(attachments).toMatchObject([{ name: 'data.txt', content: Buffer.from('attached') }]);
  const [metadata, bookmarks] = JSON.parse(await readFile(join(folder, 'facts.json'), 'utf8'));
  expect(metadata).toMatchObject({ Title: 'Written', Author: 'Ada', Keywords: ['one', 'two'] });
  expect(bookmarks).toEqual([{ title: 'First', page: 1 }]);
}

test('gotenberg-client from PyPI', async () => {
  await program('gotenberg-client');
  const commands = await pythonEnvironment(join(folder, 'environment'), ['gotenberg-client[httpx]>=1,<2']);
  await run(join(commands, 'python'), ['main.py'], { cwd: folder, env });
  await expectResults('From Python with a file');
  await expectChanges('From Python with a file');
});

test('chromiumly from npm', async () => {
  await program('chromiumly');
  await nodePackages(folder, ['chromiumly@6']);
  await run(process.execPath, ['main.ts'], { cwd: folder, env });
  await expectResults('From TypeScript with a file');
  await expectChanges('From TypeScript with a file');
});

test('accepts the requests of the Go client', async () => {
  await program('gotenberg-go');
  await run('go', ['run', 'main.go'], { cwd: folder, env: { ...env, GOFLAGS: '-mod=mod' } });
  await expectResults('From Go with a file');
  const brought = await readPdf(await readFile(join(folder, 'brought.pdf')));
  expect(brought.pages).toEqual([expect.stringContaining('From Go with a file')]);
});
