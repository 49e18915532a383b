/** `platen compare`: PDFs, folders, browsers, versions and services, its output and its exit status. */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { setUpCli } from '../support/cli-folder.ts';
import { Client } from '../support/client.ts';
import { runCli } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { smallPdf } from '../support/small-pdf.ts';
import { writeWrapper } from '../support/wrapper-script.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const { folder, env, cli, failure } = setUpCli();
const at = (...path: string[]) => join(folder, ...path);
const RED = [255, 0, 0, 255];
const pdf = (...texts: string[]) => smallPdf(texts.map((text) => ({ content: `BT /F 12 Tf 20 100 Td (${text}) Tj ET` })));

async function write(path: string, content: string | Uint8Array): Promise<string> {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), content);
  return at(path);
}

interface Summary {
  same: number;
  different: number;
  failed: number;
  documents: Array<{ document: string; status: string; error?: string; differences: Array<{ status: string; pixels: number }> }>;
}

/** The exit status and what was printed with `--json`. */
async function compareAsJson(...args: string[]): Promise<Summary & { code: number }> {
  const { code = 0, stdout } = (await cli('compare', ...args, '--json').catch((error: unknown) => error)) as {
    code?: number;
    stdout: string;
  };
  return { ...(JSON.parse(stdout) as Summary), code };
}

const statuses = ({ documents }: Summary) => documents.map(({ document, status }) => `${document}: ${status}`);

describe('PDFs', () => {
  test('that are the same', async () => {
    const [one, two] = [await write('one.pdf', pdf('A')), await write('two.pdf', pdf('A'))];
    expect((await cli('compare', one, two)).stdout).toContain('1 same, 0 different, 0 failed');
  });

  test('that differ, with a report that needs nothing else', async () => {
    await write('before/letter.pdf', pdf('Dear Ada', 'Yours'));
    await write('after/letter.pdf', pdf('Dear Bob <b>', 'Yours', 'P.S.'));
    await write('before/deep/same.pdf', pdf('A'));
    await write('after/deep/same.pdf', pdf('A'));
    await write('after/new.pdf', pdf('A'));
    const found = await compareAsJson(at('before'), at('after'), '--report', at('report'));
    expect(statuses(found)).toEqual(['deep/same.pdf: same', 'letter.pdf: changed', 'new.pdf: added']);
    expect(found).toMatchObject({ code: 1, same: 1, different: 2, failed: 0 });
    const [changed, added] = found.documents[1]?.differences ?? [];
    expect(changed).toMatchObject({ before: 1, after: 1, text: { removed: ['Dear Ada'], added: ['Dear Bob <b>'] } });
    expect(added).toMatchObject({ status: 'added', before: null, after: 3 });
    const page = await readFile(at('report', 'index.html'), 'utf8');
    expect(page).toContain('<ins>Dear Bob &lt;b&gt;</ins>');
    expect(page).not.toMatch(/<script|https?:/);
    const pictures = [...page.matchAll(/src="([^"]+)"/g)].map(([, name]) => name);
    expect(pictures).toEqual(['2-before-1.png', '2-after-1.png', '2-after-3.png']);
    expect((await readdir(at('report'))).sort()).toEqual([...pictures, 'index.html'].sort());
    expect(PNG.sync.read(await readFile(at('report', '2-before-1.png'))).width).toBe(1_400);
  });

  test('one of which is damaged', async () => {
    const [good, bad] = [await write('good.pdf', pdf('A')), await write('bad.pdf', 'no PDF')];
    const found = await compareAsJson(good, bad);
    expect(found).toMatchObject({
      code: 2,
      failed: 1,
      documents: [{ status: 'failed', error: expect.stringContaining('`after`') }],
    });
  });
});

describe('documents that are rendered twice', () => {
  beforeAll(async () => {
    const logo = new PNG({ width: 4, height: 4 });
    for (let at = 0; at < logo.data.length; at += 4) logo.data.set(RED, at);
    await write('documents/style/print.css', 'p { background: url(../logo.png) }');
    await write('documents/logo.png', PNG.sync.write(logo));
    await write('documents/plain.html', '<link rel="stylesheet" href="style/print.css"><p>A paragraph');
    await write('documents/note.md', '# A note');
  });

  test('by the same browser show nothing', async () => {
    const browser = await writeWrapper(folder, 'headless-shell', 'exec "$browser" "$@"');
    expect(await compareAsJson(at('documents'), '--browser', 'bundled', '--with-browser', browser)).toMatchObject({
      code: 0,
      same: 2,
    });
  });

  test('by a browser with larger text show what it changes', async () => {
    const larger = await writeWrapper(folder, 'larger', 'exec "$browser" --blink-settings=defaultFontSize=17 "$@"');
    const found = await compareAsJson(at('documents'), '--with-browser', larger, '--report', at('larger-report'));
    expect(statuses(found)).toEqual(['note.md: same', 'plain.html: changed']);
    const { data } = PNG.sync.read(await readFile(at('larger-report', '2-after-1.png')));
    expect(data.includes(Buffer.from(RED)), 'the picture that the style sheet names').toBe(true);
  });

  test('by another version show what it changes', async () => {
    const version = at('version');
    await cp(join(CHECKOUT, 'src'), join(version, 'src'), { recursive: true });
    await cp(join(CHECKOUT, 'package.json'), join(version, 'package.json'));
    await symlink(join(CHECKOUT, 'node_modules'), join(version, 'node_modules'));
    const paper = join(version, 'src/render/request/paper-options.ts');
    const text = await readFile(paper, 'utf8');
    expect(text).toContain('DEFAULT_MARGIN_INCHES = 0.4');
    await writeFile(paper, text.replace('DEFAULT_MARGIN_INCHES = 0.4', 'DEFAULT_MARGIN_INCHES = 0.41'));
    const letter = at('documents/plain.html');
    expect(await compareAsJson(letter, '--with', version)).toMatchObject({ code: 1, different: 1 });
    const options = await write('options.json', '{"margin": "0.4in"}');
    expect(await compareAsJson(letter, '--with', version, '--options', options)).toMatchObject({ code: 0, same: 1 });
  });

  test('by a running service, which gets the files that they name', async () => {
    const service = await sharedService();
    const args = ['compare', at('documents'), '--with', service.url];
    expect((await failure(args)).stderr).toContain('PLATEN_API_KEY');
    const { stdout } = await runCli(args, { ...env, PLATEN_API_KEY: service.key });
    expect(stdout).toContain('2 same, 0 different, 0 failed');
    const wrong = await failure([...args, '--json'], { PLATEN_API_KEY: `${service.key.slice(0, -1)}~` });
    expect(wrong).toMatchObject({ code: 2 });
  });
});

test('stored templates are filled and rendered twice, with their files, and one that cannot be filled fails alone', async () => {
  const service = await sharedService();
  const client = new Client(service.url, service.key);
  const assets = { 'style/page.css': { content: Buffer.from('p { font-size: 1em }').toString('base64') } };
  await client.template('<link rel="stylesheet" href="style/page.css"><p>Dear {{ name | default: "reader" }}', {
    ...{ name: 'Letter', engine: 'liquid', assets, samples: { Ada: { name: 'Ada' }, Grace: { name: 'Grace' } } },
  });
  await client.template('<p>{% for i in (1..99999999) %}x{% endfor %}', { name: 'Endless', engine: 'liquid' });
  const larger = await writeWrapper(folder, 'larger-text', 'exec "$browser" --blink-settings=defaultFontSize=17 "$@"');
  const args = ['compare', service.url, '--with-browser', larger, '--json'];
  const { stdout } = await runCli(args, { ...env, PLATEN_API_KEY: service.key }).catch((error: { stdout: string }) => error);
  const found = JSON.parse(stdout) as Summary;
  expect(statuses(found).sort()).toEqual(['Endless: failed', 'Letter (Ada): changed', 'Letter (Grace): changed']);
  expect(found.documents.find(({ status }) => status === 'failed')?.error).toMatch(/limit|long|too/);
  expect((await failure(['compare', service.url, '--with-browser', larger])).stderr).toContain('PLATEN_API_KEY');
});

test('a command that cannot start says why, and has the exit status 2', async () => {
  const [one, docs] = [await write('one.pdf', pdf('A')), at('documents')];
  for (const [args, why] of [
    [[one], '--with or --with-browser'],
    [[one, docs], 'two PDFs, or two folders'],
    [[one, at('none.pdf')], 'there is no such file'],
    [[one, one, '--with', CHECKOUT], 'leave out'],
    [[one, one, '--tolerance', '256'], 'from 0 to 255'],
    [[docs, '--with', at('before')], 'neither a URL nor the folder'],
    [[docs, '--with-browser', at('none')], 'rendered nothing'],
    [[docs, docs], 'contains a PDF'],
  ] as const) {
    const { code, stderr } = await failure(['compare', ...args]);
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  }
});
