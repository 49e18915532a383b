/** Sharing from the playground: links, and code that renders the same elsewhere. */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Client, type List } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DRAFT, fragmentOf } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { isInstalled } from '../support/shell-path.ts';
import { LANGUAGES, openSnippetFolder } from '../support/snippet-runs.ts';
import { SEES_DOWNLOADS } from '../support/web-page.ts';

const service = await startService({
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '100000',
  PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '100000',
}).then(closeAfterAll);
const { open } = await openPlaygrounds(service);

const snippets = await openSnippetFolder();
const { folder, path: PATH } = snippets;

/** Characters that end a string, begin a command or join lines in one of the languages. */
const NASTY =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is also shell syntax
  'marker "double" \'single\' \'\'\' """ `tick` $HOME ${HOME} $(id) \\ \\n \\u0041 \\\\ %s %% !! # </script> <!-- ]]> 😀 é \u2028 \u2029 JSON; <?php ?>';

const NASTY_HTML = `<!doctype html>\n<title>Nasty</title>\n<pre>${NASTY.replaceAll('<', '&lt;')}\nJSON\n'\nEOF</pre>\n<script>const s = '</scr' + 'ipt>'; // ${NASTY.replaceAll('</script>', '').replaceAll(/[\u2028\u2029]/g, '')}\n</script>\n`;

const HTML_DRAFT = { ...DRAFT, html: NASTY_HTML, options: { margin: { top: '3cm' }, footerTemplate: `<b>${NASTY}</b>` } };

const TEMPLATE_DRAFT = {
  ...DRAFT,
  mode: 'template',
  template: `<title>Nasty</title>${NASTY.replaceAll('<', '&lt;')}<pre>{{ text }}</pre>{% for name in names %}<p>{{ name }}</p>{% endfor %}{{ empty | json }}`,
  data: JSON.stringify({ text: NASTY, names: ["O'Neil", 'a\nb'], empty: {}, list: [], big: 1e21, '10': 'x', __proto: null })
    // `__proto__` as the name of a member, not as the prototype
    .replace('"__proto"', '"__proto__"'),
  options: { landscape: true },
};

test.runIf(SEES_DOWNLOADS).each([
  ['HTML', HTML_DRAFT],
  ['a template', TEMPLATE_DRAFT],
])('shows code of %s that produces the bytes of the preview, in every language installed', async (_, draft) => {
  const playground = await open({ path: `/${await fragmentOf(draft)}` });
  await playground.shows('marker');
  const preview = await playground.download();
  expect((await readPdf(preview)).pages.join(' ')).toContain('marker');
  for (const language of LANGUAGES) {
    const pdf = await snippets.run(language, await playground.codeIn(language), service.key);
    expect(pdf.equals(preview), language).toBe(true);
  }
  expect((await new Client(service.url, service.key).json<List<unknown>>('/v1/templates')).data).toEqual([]);
});

test.skipIf(!isInstalled('python3'))('shows Python code that says why a request failed', async () => {
  const playground = await open({ path: `/${await fragmentOf(HTML_DRAFT)}` });
  await writeFile(join(folder, 'wrong.py'), await playground.codeIn('Python'));
  const running = promisify(execFile)('python3', ['wrong.py'], { cwd: folder, env: { PATH, PLATEN_API_KEY: 'plt_wrong' } });
  await expect(running).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('send a valid API key') });
});

test.runIf(SEES_DOWNLOADS)('shows a command that survives history expansion in an interactive shell', async () => {
  const playground = await open({ path: `/${await fragmentOf(HTML_DRAFT)}` });
  await playground.shows('marker');
  const code = await playground.codeIn('curl');
  await rm(join(folder, 'document.pdf'), { force: true });
  const env = { PATH, PLATEN_API_KEY: service.key, HOME: folder };
  const shell = promisify(execFile)('bash', ['--norc', '-i'], { cwd: folder, env });
  shell.child.stdin?.end(`set -H\n${code}\nexit\n`);
  await shell;
  expect((await readFile(join(folder, 'document.pdf'))).equals(await playground.download())).toBe(true);
});

test.runIf(SEES_DOWNLOADS)('shares everything in a link that the server does not see', async () => {
  const first = await open({ path: `/${await fragmentOf(TEMPLATE_DRAFT)}` });
  await first.shows('marker');
  const link = await first.link();
  expect(new URL(link).hash).toMatch(/^#v1\.[\w-]+$/);

  const second = await open({ path: link.slice(service.url.length) });
  await second.shows("O'Neil");
  expect((await second.download()).equals(await first.download())).toBe(true);
  await second.tab('Options');
  expect(await second.option('landscape').getByRole('switch').isChecked()).toBe(true);
  expect(second.page.url()).toBe(`${service.url}/`);
  expect(service.output()).not.toContain(new URL(link).hash.slice(4, 40));
});

test('shares only the visible mode in a link', async () => {
  const both = { ...DRAFT, html: '<p>Public page</p>', template: '<p>Hidden {{ a }}</p>', data: '{"a": "template"}' };
  const html = await open({ path: `/${await fragmentOf({ ...both, options: { landscape: true } })}` });
  await html.shows('Public page');
  const link = await html.link();
  expect(await draftIn(link)).toEqual({ mode: 'html', html: '<p>Public page</p>', options: { landscape: true } });
  const other = await open({ path: link.slice(service.url.length) });
  await other.shows('Public page');
  await other.page.getByRole('button', { name: 'Template', exact: true }).click();
  expect(await other.editor('Template').textContent()).toBe('');

  await html.page.getByRole('button', { name: 'Template', exact: true }).click();
  await html.shows('Hidden template');
  const { html: _, ...template } = { ...both, mode: 'template', options: { landscape: true } };
  expect(await draftIn(await html.link())).toEqual(template);
});

/** Returns the draft that a link contains. */
async function draftIn(link: string): Promise<unknown> {
  const packed = Buffer.from(new URL(link).hash.slice('#v1.'.length), 'base64url');
  const json = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(json).json();
}

test('keeps the draft after a reload, also over an earlier link', async () => {
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html: '<p>From a link</p>' })}` });
  await playground.shows('From a link');
  await playground.write('HTML', '<p>Written after that</p>');
  await playground.page.reload();
  await playground.shows('Written after that');
});

test('opens a link in the same tab', async () => {
  const playground = await open();
  await playground.shows('Northlight Studio');
  await playground.page.goto(`/${await fragmentOf({ ...DRAFT, html: '<p>Pasted link</p>' })}`);
  await playground.shows('Pasted link');
});

test('keeps the draft that links and examples replace, also over a reload, until it is restored', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.shows('Northlight Studio');
  const restore = page.getByRole('button', { name: 'Restore my draft' });
  await page.goto(`/${await fragmentOf({ ...DRAFT, html: '<p>First link</p>' })}`);
  await playground.shows('First link');
  expect(await restore.isVisible()).toBe(false); // an example is no work of the visitor's
  await playground.write('HTML', '<p>An hour of work</p>');
  await playground.shows('An hour of work');
  for (const text of ['Second link', 'Third link']) {
    await page.goto(`/${await fragmentOf({ ...DRAFT, html: `<p>${text}</p>` })}`);
    await playground.shows(text);
  }
  await page.reload();
  await playground.shows('Third link');
  await restore.click();
  await playground.shows('An hour of work');
  await restore.waitFor({ state: 'hidden' });
});

const GOOD = await fragmentOf({ ...DRAFT, html: '<p>good</p>' });

test.each([
  ['cut short', GOOD.slice(0, -6)],
  ['changed', `${GOOD.slice(0, 20)}!!${GOOD.slice(22)}`],
  ['not a draft', await fragmentOf({ mode: 'html' })],
  ['a list', await fragmentOf([])],
  ['a bomb', await fragmentOf({ ...DRAFT, html: 'a'.repeat(8_000_000) })],
  ['of a later version', '#v2.abc'],
  ['too long', `#v1.${'A'.repeat(200_000)}`],
])('refuses a link that is %s with a message, and keeps working', async (_, fragment) => {
  const playground = await open({ path: `/${fragment}` });
  await playground.page.getByText(/^This link is|created this link/).waitFor();
  await playground.shows('Northlight Studio');
});

test('treats a link as data: drops unknown names, and keeps markup as text', async () => {
  const hostile = {
    ...DRAFT,
    html: '<p>&lt;img src=x onerror="document.title=1"&gt; seen</p>',
    options: { ['__proto__']: { polluted: true }, unknown: 1, margin: '<img src=x onerror="document.title=2">' },
    extra: '<script>document.title = 3</script>',
  };
  const playground = await open({ path: `/${await fragmentOf(hostile)}` });
  await playground.errorNotice.getByText(/must be a length/).waitFor();
  await (await playground.openOption('margin')).getByRole('textbox').fill('1cm');
  await playground.shows('onerror');
  expect(await playground.page.title()).toBe('Playground · Platen');
  expect(await playground.page.evaluate('({}).polluted')).toBeUndefined();
});

test('reports a draft that is too large for a link, and truncates nothing', async () => {
  const noise = Array.from({ length: 120_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000))).join('');
  const playground = await open();
  await playground.write('HTML', noise);
  await playground.page.getByRole('button', { name: 'Link', exact: true }).click();
  await playground.page.getByText(/too large for a link/).waitFor();
});
