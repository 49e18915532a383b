/** `platen batch`: a file with one item per line in, a folder of PDFs out. */
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { setUpCli } from '../support/cli-folder.ts';
import { millimetresOf, readPdf } from '../support/read-pdf.ts';
import { eventually, runCli, spawnCli } from '../support/service.ts';
import { html, Site } from '../support/site.ts';

interface Result {
  index: number;
  line: number;
  reference: string | null;
  status: string;
  file: string | null;
  pages: number | null;
  bytes: number | null;
  error?: { code: string; detail: string };
  warnings?: Array<{ kind: string; message: string }>;
}

const { folder, env } = setUpCli({ PLATEN_CONCURRENCY: '2' });
let count = 0;

const newFolder = () => join(folder, `out-${count++}`);

async function file(content: string): Promise<string> {
  const path = join(folder, `in-${count++}`);
  await writeFile(path, content);
  return path;
}

const ndjson = (items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** Runs to the end, whatever that is. */
async function run(
  args: string[],
  settings: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return runCli(['batch', ...args], { ...env, ...settings }).then(
    (printed) => ({ code: 0, ...printed }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

async function resultsIn(out: string): Promise<Result[]> {
  const lines = (await readFile(join(out, 'results.ndjson'), 'utf8')).trimEnd().split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Result);
}

async function textOf(out: string, name: string): Promise<string> {
  return (await readPdf(await readFile(join(out, name)))).pages.join('\f');
}

test('writes a PDF for every item into a new folder, and a line for each in the order of the input', async () => {
  const out = join(newFolder(), 'deep');
  const input = await file(
    ndjson([
      { html: '<p>slow', options: { waitForTimeout: 1_000 }, reference: 'first' },
      { html: '<p>a', filename: 'Bericht.pdf' },
      { html: '<p>b', filename: 'bericht.pdf', options: { landscape: true } },
      { html: '<p>c', reference: '../up' },
      { html: '<p>d<p style="break-before: page">e' },
    ]),
  );
  const defaults = await file('{"options": {"format": "A5"}}');
  const { code, stdout } = await run([input, '-o', out, '--defaults', defaults, '--json']);
  const results = await resultsIn(out);
  expect(results.map(({ file: name }) => name)).toEqual([
    'first.pdf',
    'Bericht.pdf',
    'bericht (2).pdf',
    '_up.pdf',
    'item-005.pdf',
  ]);
  expect(results.map(({ index, line, status }) => [index, line, status])).toEqual(results.map((_, n) => [n, n + 1, 'succeeded']));
  expect((await readdir(out)).sort()).toEqual([...results.map(({ file: name }) => name), 'results.ndjson'].sort());
  expect(await textOf(out, 'first.pdf')).toBe('slow');
  expect(await textOf(out, 'item-005.pdf')).toBe('d\fe');
  expect(millimetresOf(await readPdf(await readFile(join(out, 'bericht (2).pdf'))))[0]).toEqual([210, 148]);
  expect(code).toBe(0);
  const bytes = results.reduce((sum, result) => sum + (result.bytes ?? 0), 0);
  expect(JSON.parse(stdout)).toEqual({
    rendered: 5,
    failed: 0,
    pages: 6,
    bytes,
    seconds: expect.any(Number),
    interrupted: false,
    output: out,
  });
});

test('fails only the invalid items, with their lines and exit status 1', async () => {
  const out = newFolder();
  const lines = [
    '{"html": "<p>good"}',
    '',
    "{'html': 'x'}",
    '[]',
    '{"template_id": "tpl_0123456789ABCDEFGHIJKL"}',
    '{"html": "x", "options": {"scale": 9}, "reference": "scaled"}',
    '{"html": "x", "options": {"pageRanges": "9"}}',
    `{"html": "${'x'.repeat(5_000)}"}`,
    '{"url": "http://127.0.0.1:1/"}',
    '{"html": "<p>the last, without an end of line"}',
  ];
  const { code, stdout, stderr } = await run([await file(lines.join('\n')), '-o', out], { PLATEN_MAX_REQUEST_BYTES: '4096' });
  expect(code).toBe(1);
  const results = await resultsIn(out);
  expect(results.map(({ line, error, status }) => [line, error?.code ?? status])).toEqual([
    [1, 'succeeded'],
    [3, 'invalid_json'],
    [4, 'invalid_request'],
    [5, 'invalid_request'],
    [6, 'invalid_request'],
    [7, 'print_failed'],
    [8, 'content_too_large'],
    [9, 'forbidden_url'],
    [10, 'succeeded'],
  ]);
  expect(results[1]?.error?.detail).toBe(
    'the line is not valid JSON (at character 1): the name of a member must be in double quotes',
  );
  expect(results[3]?.error?.detail).toContain('send html or url');
  expect(results[4]).toMatchObject({ reference: 'scaled', file: null, pages: null, bytes: null });
  const errors = stderr.split('\n').filter((line) => line.startsWith('platen: line'));
  expect(errors.map((line) => Number(/line (\d+)/.exec(line)?.[1])).sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  expect(errors.find((line) => line.includes('"scaled"'))).toContain('options.scale: must be a number from 0.1 to 2');
  expect(stdout).toMatch(/^2 rendered, 7 failed: 2 pages, \d+ bytes in [\d.]+ s, in /);
});

test('renders standard input as it arrives', async () => {
  const out = newFolder();
  const child = spawnCli(['batch', '-', '-o', out, '--json'], env);
  const printed = text(child.stdout as NodeJS.ReadableStream);
  child.stdin?.write(ndjson([{ html: '<p>first', reference: 'a' }]));
  await eventually('the first is there', async () => (await readdir(out).catch(() => [] as string[])).includes('a.pdf'));
  child.stdin?.end(ndjson([{ html: '<p>second', reference: 'b' }]));
  expect((await once(child, 'close'))[0]).toBe(0);
  expect(JSON.parse(await printed)).toMatchObject({ rendered: 2, failed: 0 });
  expect(await textOf(out, 'b.pdf')).toBe('second');
});

test('ends in order on Ctrl-C: keeps finished files, and leaves nothing of unfinished ones', async () => {
  const out = newFolder();
  const child = spawnCli(['batch', '-', '-o', out, '--json'], env);
  const printed = text(child.stdout as NodeJS.ReadableStream);
  const endless = { html: '<p>x', options: { waitForFunction: 'false' }, reference: 'endless' };
  child.stdin?.write(ndjson([{ html: '<p>done', reference: 'done' }, endless]));
  await eventually('the first is listed', async () => (await resultsIn(out).catch(() => [])).length === 1);
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(130);
  expect(JSON.parse(await printed)).toMatchObject({ rendered: 1, failed: 0, interrupted: true });
  expect((await readdir(out)).sort()).toEqual(['done.pdf', 'results.ndjson']);
  const [, second] = await resultsIn(out);
  if (second) expect(second).toMatchObject({ reference: 'endless', status: 'cancelled', file: null });
});

test('exits with status 2 and one clear line on wrong usage, and renders nothing', async () => {
  const [input, out] = [await file('{"html": "x"}\n'), newFolder()];
  const own = join(newFolder(), 'results.ndjson');
  await mkdir(dirname(own), { recursive: true });
  await writeFile(own, '{"html": "x"}\n');
  const broken: Array<[string[], RegExp]> = [
    [[input], /--output/],
    [['-o', out], /input/],
    [[join(folder, 'nothing'), '-o', out], /^platen: cannot read .*nothing: there is no such file\n$/],
    [[folder, '-o', out], /^platen: cannot read .*: it is a folder\n$/],
    [[input, '-o', out, '--defaults', await file('no json')], /is not JSON/],
    [[input, '-o', out, '--defaults', await file('[]')], /must contain a JSON object\n$/],
    [
      [input, '-o', out, '--defaults', await file('{"reference": "x"}')],
      /reference must be in the items, not in the defaults\n$/,
    ],
    [[input, '-o', input], /is not a folder\n$/],
    [[input, '-o', '/proc/nothing/here'], /ENOENT/],
    [[own, '-o', dirname(own)], /results.ndjson is the input/],
    [[input, '-o', out, '--nonsense'], /--nonsense/],
  ];
  for (const [args, message] of broken) {
    const { code, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(code, stderr).toBe(2);
  }
  expect(await readFile(own, 'utf8')).toBe('{"html": "x"}\n');
});

test('prints control characters as their numbers', async () => {
  const items = ndjson([{ url: 'http://127.0.0.1:1/', reference: '\u009b31m\u202e' }]);
  const { stderr } = await run([await file(items), '-o', newFolder()]);
  expect(stderr).toContain('("\\u{9b}31m\\u{202e}")');
});

test('exits with status 1 and the reason if the output cannot be written', async () => {
  const out = newFolder();
  await mkdir(join(out, 'taken.pdf'), { recursive: true });
  const { code, stderr } = await run([await file(ndjson([{ html: 'x', reference: 'taken' }])), '-o', out]);
  expect(code).toBe(1);
  expect(stderr).toContain('EISDIR');
  expect((await readdir(out)).sort()).toEqual(['results.ndjson', 'taken.pdf']);
});

test('shows the warnings of an item, and fails those that must have none', async () => {
  using site = await Site.start({ '/a.png': html('x') });
  const setting = `PLATEN_OUTBOUND_ALLOW=127.0.0.1:${site.port}`;
  const markup = `<p>x<img src="${site.origin}/a.png">`;
  const out = newFolder();
  const items = [
    { html: markup, reference: 'r' },
    { html: '<p>y' },
    { html: markup, options: { failOnWarning: ['resource_refused'] } },
  ];
  const { code, stderr } = await run([await file(ndjson(items)), '-o', out]);
  const [first, second, third] = await resultsIn(out);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^platen: line 1 \("r"\): resource_refused: http:/m);
  expect(stderr).toContain(`; ${setting} allows it`);
  expect(first?.warnings).toMatchObject([{ kind: 'resource_refused', message: expect.stringContaining(setting) }]);
  expect(second).not.toHaveProperty('warnings');
  expect(third).toMatchObject({ status: 'failed', error: { code: 'render_gate_failed' } });
});
