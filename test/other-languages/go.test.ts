/** A Go program with a client made by oapi-codegen compiles, and renders. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { run } from './run.ts';

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const PROGRAM = new URL('go', import.meta.url).pathname;

test('a document rendered from Go', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'platen-go-'));
  await using service = await startService();
  try {
    await cp(PROGRAM, folder, { recursive: true });
    await writeFile(join(folder, 'openapi.json'), await (await fetch(`${service.url}/openapi.json`)).text());
    const env = { GOFLAGS: '-mod=mod', PLATEN_KEY: service.key, PLATEN_URL: service.url };
    await run('go', ['mod', 'init', 'example.com/render'], { cwd: folder, env });
    await run('mkdir', ['platen'], { cwd: folder });
    const generate = ['-generate', 'types,client', '-package', 'platen', '-o', 'platen/client.gen.go', 'openapi.json'];
    await run('go', ['run', GENERATOR, ...generate], { cwd: folder, env: { ...env, GOFLAGS: '' } });
    await run('go', ['mod', 'tidy'], { cwd: folder, env });
    await run('go', ['run', '.', 'out.pdf'], { cwd: folder, env });
    const { pages, sizes } = await readPdf(await readFile(join(folder, 'out.pdf')));
    expect(pages).toEqual([expect.stringContaining('From Go')]);
    expect(sizes[0]?.width).toBeCloseTo(419.5, 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
