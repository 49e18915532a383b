/** The Python client: its types checked by mypy, and its own tests against a running service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { SNIPPETS, type SnippetBody } from '../../web/shared/code-snippets/snippets.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { readPdf } from '../support/read-pdf.ts';
import { Receiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import { pythonEnvironment } from './packages.ts';
import { run } from './run.ts';

const CLIENT = new URL('../../clients/python', import.meta.url).pathname;

const folder = await makeFolder('python');
await pythonEnvironment(folder, [CLIENT, 'pytest>=8,<10', 'mypy>=1.18,<3']);

test('has valid types', async () => {
  await run(join(folder, 'bin/mypy'), ['src'], { cwd: CLIENT });
});

test('runs the code that the pages show', async () => {
  await using service = await startService();
  const write = SNIPPETS.find(({ language }) => language === 'Python client')?.write ?? (() => '');
  const render = async (body: SnippetBody) => {
    await writeFile(join(folder, 'render.py'), write(service.url, body));
    await run(join(folder, 'bin/python'), ['render.py'], { cwd: folder, env: { PLATEN_API_KEY: service.key } });
    return (await readPdf(await readFile(join(folder, 'document.pdf')))).pages;
  };
  expect(await render({ html: '<p>It\'s "one" \\n' })).toEqual([`It's "one" \\n`]);
  expect(await render({ template: '<p>Dear {{name}}', engine: 'liquid', data: { name: 'Ada' } })).toEqual(['Dear Ada']);
});

test('passes its tests against a running service', async () => {
  using receiver = await Receiver.start();
  await using service = await startService({ PLATEN_OUTBOUND_ALLOW: '127.0.0.1' });
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ items: [{ html: '<h1>hook</h1>' }], webhook_url: receiver.url });
  await fetch(`${service.url}/v1/batches`, { method: 'POST', headers, body });
  await vi.waitUntil(() => receiver.received.length, { timeout: 120_000 });
  receiver.answer = (response) => response.writeHead(410).end(); // the next events are given up at once
  const webhook = JSON.stringify({ ...receiver.received[0], url: receiver.url });
  const pkcs12 = pkcs12Of(await issue('Ada'), [], 'pw');
  const administrator = JSON.parse(await service.cli('keys', 'create', '--administrator', '--json')) as { key: string };
  const env = {
    ...{ PLATEN_KEY: service.key, PLATEN_ADMINISTRATOR_KEY: administrator.key, PLATEN_URL: service.url },
    ...{ PLATEN_WEBHOOK: webhook, PLATEN_PKCS12: pkcs12 },
  };
  await run(join(folder, 'bin/pytest'), ['-q', '-p', 'no:cacheprovider', 'tests'], { cwd: CLIENT, env });
});
