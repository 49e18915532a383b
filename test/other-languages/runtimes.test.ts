/** The packaged TypeScript client in Node, Deno, Bun and a browser page of another origin. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { html, Site } from '../support/site.ts';
import { launchVisitorBrowser } from '../support/web-page.ts';
import { nodePackages } from './packages.ts';
import { run } from './run.ts';

const CLIENT = new URL('../../clients/typescript', import.meta.url).pathname;

const service = await startService().then(closeAfterAll);
const folder = await makeFolder('runtimes');
await run('npm', ['pack', '--silent', '--pack-destination', folder, CLIENT]);
const packed = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => join(folder, name));
await nodePackages(folder, [...packed, 'bun@1', 'deno@2']);
await cp(new URL('runtimes', import.meta.url).pathname, folder, { recursive: true });

test.each([
  ['Node', process.execPath, []],
  ['Deno', 'node_modules/.bin/deno', ['run', '--allow-all', '--node-modules-dir=manual']],
  ['Bun', 'node_modules/.bin/bun', ['run']],
])('works in %s', async (name, program, options) => {
  const { key } = await service.createKey();
  const env = { PLATEN_KEY: key, PLATEN_URL: service.url, RUNTIME: name };
  await run(program, [...options, 'main.mjs'], { cwd: folder, env });
  const { pages } = await readPdf(await readFile(join(folder, 'out.pdf')));
  expect(pages).toEqual([`From ${name}`]);
  const result: unknown = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'));
  expect(result).toEqual({ signature: 'PNG', listed: true, isOurs: true, code: 'invalid_request' });
});

test('works in a browser', async () => {
  using site = await Site.start({ '/': html('<title>x</title>') });
  site.serveOthers(async (request, response) => {
    const script = await readFile(join(folder, 'node_modules/platen-client/dist', `${request.url}`));
    response.setHeader('content-type', 'text/javascript').end(script);
  });
  const { origin } = site;
  await using open = await startService({ PLATEN_CORS_ORIGINS: origin });
  await using browser = await launchVisitorBrowser();
  const { page, errors } = await browser.visit(origin);
  await page.goto('/');
  const program = `(async () => {
    const { Platen } = await import('/index.js');
    const platen = new Platen({ key: '${open.key}', baseUrl: '${open.url}' });
    const blob = await (await platen.pdf({ html: '<p>x' })).blob();
    const refused = await platen.image({ html: 'x', options: { format: 'A4' } }).catch((error) => error);
    return [blob.type, (await blob.text()).slice(0, 5), refused.code, (await platen.usage()).documents.used];
  })()`;
  expect(await page.evaluate(program)).toEqual(['application/pdf', '%PDF-', 'invalid_request', 1]);
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
});
