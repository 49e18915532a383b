/** Clients generated from the OpenAPI document compile, render, list and read an error. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { closeAfterAll, makeTestFolder } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { nodePackages, pythonEnvironment } from './packages.ts';
import { run } from './run.ts';

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const COMPILE = '--strict --noEmit --skipLibCheck --module nodenext --target es2023 main.ts'.split(' ');
const A5_WIDTH = 419.5;
const A6_HEIGHT = 297.6;

let folder: string;

const service = await startService().then(closeAfterAll);
const env = { PLATEN_KEY: service.key, PLATEN_URL: service.url };

beforeEach(async () => {
  folder = await makeTestFolder('generated');
  await writeFile(join(folder, 'openapi.json'), await (await fetch(`${service.url}/openapi.json`)).text());
});

const program = (name: string) => cp(new URL(name, import.meta.url).pathname, folder, { recursive: true });
const read = (name: string) => readFile(join(folder, name));

async function expectResult(): Promise<void> {
  expect(JSON.parse(String(await read('result.json')))).toEqual({ status: 201, listed: 1, code: 'not_found' });
}

test('Go, with oapi-codegen', async () => {
  const go = (...args: string[]) => run('go', args, { cwd: folder, env: { ...env, GOFLAGS: '-mod=mod' } });
  await program('go');
  await go('mod', 'init', 'example.com/render');
  await run('mkdir', ['platen'], { cwd: folder });
  const generate = ['-generate', 'types,client', '-package', 'platen', '-o', 'platen/client.gen.go', 'openapi.json'];
  await run('go', ['run', OAPI_CODEGEN, ...generate], { cwd: folder });
  await go('mod', 'tidy');
  await go('run', '.');
  const { pages, sizes } = await readPdf(await read('out.pdf'));
  expect(pages).toEqual([expect.stringContaining('From Go')]);
  expect(sizes[0]?.width).toBeCloseTo(A5_WIDTH, 0);
  await expectResult();
});

test('TypeScript, with openapi-typescript and openapi-fetch', async () => {
  await program('openapi-typescript');
  await nodePackages(folder, ['openapi-typescript@7', 'openapi-fetch@0.17', 'typescript@5', '@types/node@24']);
  await run('npx', ['openapi-typescript', 'openapi.json', '-o', 'platen.d.ts'], { cwd: folder });
  await run('npx', ['tsc', ...COMPILE], { cwd: folder });
  await run(process.execPath, ['main.ts'], { cwd: folder, env });
  const [fromJson, fromText] = [await readPdf(await read('json.pdf')), await readPdf(await read('text.pdf'))];
  expect(fromJson.pages).toEqual([expect.stringContaining('From JSON')]);
  expect(fromText.pages).toEqual([expect.stringContaining('From text')]);
  expect([fromJson.sizes[0]?.width, fromText.sizes[0]?.height].map(Math.floor as (size?: number) => number)).toEqual(
    [A5_WIDTH, A6_HEIGHT].map(Math.floor),
  );
  await expectResult();
});

test('Python, with openapi-python-client', async () => {
  await program('openapi-python-client');
  const commands = await pythonEnvironment(join(folder, 'environment'), ['openapi-python-client>=0.29,<0.30']);
  const PATH = `${commands}:${process.env.PATH}`; // it formats its output with ruff, which is installed in the same folder
  const generate = ['generate', '--path', 'openapi.json', '--output-path', 'platen', '--meta', 'none', '--config', 'config.yml'];
  await run(join(commands, 'openapi-python-client'), generate, { cwd: folder, env: { PATH } });
  await run(join(commands, 'python'), ['main.py'], { cwd: folder, env });
  const { pages, sizes } = await readPdf(await read('out.pdf'));
  expect(pages).toEqual([expect.stringContaining('From Python')]);
  expect(sizes[0]?.width).toBeCloseTo(A5_WIDTH, 0);
  await expectResult();
});
