/** The command line as an operator uses it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invoiceHtml, invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { runCli, spawnCli } from '../support/service.ts';
import { BROWSER_SETTINGS } from '../support/test-browser.ts';

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-cli-'));
  env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? folder, PLATEN_DATA_DIR: join(folder, 'data') };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const cli = (...args: string[]) => runCli(args, env);
const failure = (args: string[], extra: Record<string, string> = {}) =>
  runCli(args, { ...env, ...extra }).then(
    () => Promise.reject(new Error('it did not fail')),
    (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
  );

describe('platen render', () => {
  test('renders a file to a file with options', async () => {
    const [input, output, options] = [join(folder, 'in.html'), join(folder, 'out.pdf'), join(folder, 'options.json')];
    await writeFile(input, '<h1>From a file</h1>');
    await writeFile(options, '{"format": "Letter", "landscape": true}');
    await cli('render', input, '-o', output, '--options', options);
    const pdf = await readPdf(await readFile(output));
    expect(pdf.pages).toEqual(['From a file']);
    expect(pdf.sizes).toEqual([{ width: 792, height: 612 }]);
  });

  test('renders a file with an invoice and the requested conformance', async () => {
    const [input, xml, options] = [join(folder, 'r.html'), join(folder, 'r.xml'), join(folder, 'r.json')];
    await writeFile(input, invoiceHtml(SALES.plain as Sale));
    await writeFile(xml, invoiceXml(SALES.plain as Sale, 'BASIC WL'));
    await writeFile(options, '{"conformance": ["PDF/A-3a", "PDF/UA-1"]}');
    const flags = ['--options', options, '--invoice', xml];
    await cli('render', input, '-o', join(folder, 'r.pdf'), ...flags, '--invoice-profile', 'BASIC WL');
    const { attachments, xmp } = await readFinished(await readFile(join(folder, 'r.pdf')));
    expect(attachments).toEqual([expect.objectContaining({ name: 'factur-x.xml', content: await readFile(xml) })]);
    for (const claim of ['<pdfuaid:part>1<', '<pdfaid:conformance>A<', '<fx:ConformanceLevel>BASIC WL<'])
      expect(xmp).toContain(claim);
    expect((await failure(['render', input, '-o', '-', ...flags])).stderr).toBe(
      'platen: --invoice and --invoice-profile must be used together\n',
    );
    const wrong = await failure(['render', input, '-o', '-', ...flags, '--invoice-profile', 'BASIC']);
    expect(wrong.stderr).toContain('options.invoice.xml has the guideline of the profile BASIC WL, and not that of BASIC; ');
  });

  test('renders a Markdown file', async () => {
    const input = join(folder, 'note.md');
    await writeFile(input, '# A *note*');
    await cli('render', input, '-o', join(folder, 'note.pdf'));
    expect(await readPdf(await readFile(join(folder, 'note.pdf')))).toMatchObject({ pages: ['A note'], title: 'A note' });
  });

  test('loads files next to the document, and nothing above its folder', async () => {
    const place = join(folder, 'place');
    await mkdir(join(place, 'css'), { recursive: true });
    await writeFile(join(folder, 'above.css'), 'h1 { color: #0000ff }');
    await writeFile(join(place, '.hidden.css'), 'h1 { color: #0000ff }');
    await symlink(join(folder, 'above.css'), join(place, 'link.css'));
    await writeFile(join(place, 'css', 'print.css'), 'h1 { color: #c00000 }');
    const sheets = ['css/print.css', '../above.css', '.hidden.css', 'link.css', '%2e%2e/above.css', 'css/..%2f../../above.css'];
    await writeFile(
      join(place, 'in.html'),
      `${sheets.map((href) => `<link rel=stylesheet href="${href}">`).join('')}<h1>Styled</h1>`,
    );
    const { stderr } = await cli(
      'render',
      join(place, 'in.html'),
      '-o',
      join(place, 'out.pdf'),
      '--format',
      'a5',
      '--margin',
      '0',
    );
    const pdf = await readPdf(await readFile(join(place, 'out.pdf')));
    expect(pdf.fills).toContain('#c00000');
    expect(pdf.fills).not.toContain('#0000ff');
    expect(pdf.sizes[0]?.width).toBeCloseTo(419.5, 0);
    expect(stderr).toContain('platen: resource_failed: link.css: ');
  });

  test('fills a template with data in both languages', async () => {
    const [input, data] = [join(folder, 'letter.html'), join(folder, 'data.json')];
    await writeFile(input, '<p>Dear {{ name | upcase }}{{name}}');
    await writeFile(data, '{"name": "Ada"}');
    const pagesOf = async (...flags: string[]) => {
      await cli('render', input, '-o', join(folder, 'letter.pdf'), '--data', data, ...flags);
      return (await readPdf(await readFile(join(folder, 'letter.pdf')))).pages;
    };
    expect(await pagesOf('--template', 'liquid')).toEqual(['Dear ADAAda']);
    expect(await pagesOf()).toEqual(['Dear {{ name | upcase }}Ada']);
    const wrong = await failure(['render', 'https://example.com/', '-o', '-', '--data', data]);
    expect(wrong.stderr).toBe('platen: --template and --data can be used only with an HTML file\n');
  });

  test('shows images next to the document, but scripts cannot read files', async () => {
    const place = join(folder, 'private');
    await mkdir(join(place, '.secret'), { recursive: true });
    const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#c00000"/></svg>';
    await writeFile(join(place, 'dot.svg'), dot);
    await writeFile(join(place, '.secret', 'dot.svg'), dot);
    await symlink(join(place, '.secret'), join(place, 'linked'));
    for (const name of ['taxes.xlsx', 'notes.txt', 'more.html', 'data.json']) await writeFile(join(place, name), 'private');
    await writeFile(join(place, 'run.js'), 'document.body.append("ran ")');
    const paths = ['taxes.xlsx', 'notes.txt', 'more.html', 'data.json', 'dot.svg', 'run.js', 'linked/dot.svg'];
    await writeFile(
      join(place, 'in.html'),
      `<body><img src=dot.svg onload="show('shown')"><img src=linked/dot.svg onload="show('leaked')"><script>
      const show = (text) => document.body.append(text + ' ');
      for (const path of ${JSON.stringify(paths)})
        fetch(path).then((reply) => reply.text().then((text) => show(text ? 'read ' + path : 'nothing')), () => show('refused'));
      </script><script src=run.js></script>`,
    );
    await cli('render', join(place, 'in.html'), '-o', join(place, 'out.pdf'));
    const words = (await readPdf(await readFile(join(place, 'out.pdf')))).pages.join(' ').split(/\s+/).filter(Boolean);
    expect(words.sort()).toEqual([...Array(5).fill('nothing'), 'ran', 'refused', 'refused', 'shown']);
  });

  test('renders standard input to standard output, and writes nothing else to it', async () => {
    const child = spawnCli(['render', '-', '-o', '-'], env);
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdin?.end('<p>piped');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect((await readPdf(Buffer.concat(chunks))).pages).toEqual(['piped']);
  });

  test('writes next to the document with the extension .pdf without -o, and never overwrites the document', async () => {
    const place = join(folder, 'no.output');
    await mkdir(place);
    const [input, bare] = [join(place, 'in.html'), join(place, 'bare')];
    await writeFile(input, 'named');
    expect((await cli('render', input)).stderr).toContain(`platen: wrote ${join(place, 'in.pdf')}\n`);
    expect((await readPdf(await readFile(join(place, 'in.pdf')))).pages).toEqual(['named']);
    await writeFile(bare, 'without an ending');
    expect((await cli('render', bare)).stderr).toContain(`platen: wrote ${bare}.pdf\n`);
    await writeFile(join(place, 'page.pdf'), 'HTML');
    for (const args of [[join(place, 'page.pdf')], [input, '-o', join(place, '.', 'in.html')]])
      expect((await failure(['render', ...args])).stderr).toMatch(/^platen: .* is the document and would be overwritten: /);
    expect(await readFile(join(place, 'page.pdf'), 'utf8')).toBe('HTML');
    for (const input of ['-', 'https://example.com/'])
      expect((await failure(['render', input])).stderr).toMatch(/^platen: -o is required with /);
  });

  test("resolves paths against the caller's folder with `npm run platen`", async () => {
    const place = join(folder, 'elsewhere');
    await mkdir(place);
    await writeFile(join(place, 'here.html'), 'from here');
    const checkout = fileURLToPath(new URL('../../', import.meta.url));
    const run = (cwd: string, ...args: string[]) =>
      promisify(execFile)('npm', ['--prefix', checkout, 'run', '--silent', 'platen', '--', ...args], {
        cwd,
        env: { ...BROWSER_SETTINGS, ...env },
      });
    await run(place, 'render', 'here.html', '-o', 'there.pdf');
    expect((await readPdf(await readFile(join(place, 'there.pdf')))).pages).toEqual(['from here']);
    await writeFile(join(place, 'items.ndjson'), '{"html": "one", "filename": "one.pdf"}\n');
    await run(place, 'batch', 'items.ndjson', '-o', 'out');
    expect(await readdir(join(place, 'out'))).toContain('one.pdf');
    await expect(run(place, 'render', 'none.html')).rejects.toMatchObject({
      stderr: `platen: cannot read ${join(place, 'none.html')}: there is no such file\n`,
    });
  });

  test('prints warnings to standard error, and fails with failOnWarning', async () => {
    const [input, options] = [join(folder, 'missing.html'), join(folder, 'strict.json')];
    await writeFile(input, '<img src="logo.png">');
    await writeFile(options, '{"failOnWarning": ["resource_failed"]}');
    const { stderr } = await cli('render', input, '-o', join(folder, 'missing.pdf'));
    expect(stderr).toContain('platen: resource_failed: logo.png: answered with status 404');
    const failed = await failure(['render', input, '-o', join(folder, 'none.pdf'), '--options', options]);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('failOnWarning: resource_failed: logo.png') });
  });

  test('prints one clear line and exits with status 1 for faults', async () => {
    expect(await failure(['render', join(folder, 'nothing.html'), '-o', '-'])).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^platen: cannot read .*nothing\.html: there is no such file\n$/),
    });
    const [input, options] = [join(folder, 'bad.html'), join(folder, 'bad.json')];
    await writeFile(input, 'x');
    expect((await failure(['render', input, '-o', join(folder, 'none/a.pdf')])).stderr).toMatch(
      /^platen: cannot write .*a\.pdf: the folder .*none does not exist\n$/,
    );
    await writeFile(options, '{"formatt": "A4"}');
    expect((await failure(['render', input, '-o', '-', '--options', options])).stderr).toBe(
      'platen: options.formatt: there is no such field; did you mean options.format?\n',
    );
  });
});

describe('platen keys and accounts', () => {
  test('creates, lists, rotates and revokes keys', async () => {
    const created = JSON.parse((await cli('keys', 'create', '--plan', 'growth', '--name', 'mine', '--json')).stdout);
    expect(created).toEqual({
      key: expect.stringMatching(/^plt_[0-9A-Za-z]{38}$/),
      key_id: expect.stringMatching(/^key_/),
      account_id: expect.stringMatching(/^acc_/),
      plan: 'growth',
      test: false,
    });
    const rotated = JSON.parse((await cli('keys', 'rotate', created.key_id, '--json')).stdout);
    expect(rotated).toMatchObject({ key_id: created.key_id, account_id: created.account_id });
    expect(rotated.key).not.toBe(created.key);
    await cli('keys', 'revoke', created.key_id);
    const [listed] = JSON.parse((await cli('keys', 'list', '--json')).stdout);
    expect(listed).toMatchObject({
      key_id: created.key_id,
      name: 'mine',
      plan: 'growth',
      revoked_at: expect.stringMatching(/Z$/),
    });
    expect((await failure(['keys', 'rotate', created.key_id])).stderr).toContain('there is no key');
  });

  test('creates a key for an existing account, and changes its plan', async () => {
    const account = JSON.parse((await cli('accounts', 'create', '--plan', 'starter', '--json')).stdout);
    const key = JSON.parse((await cli('keys', 'create', '--account', account.account_id, '--json')).stdout);
    expect(key).toMatchObject({ account_id: account.account_id, plan: 'starter' });
    await cli('accounts', 'set-plan', account.account_id, 'scale');
    expect(JSON.parse((await cli('accounts', 'list', '--json')).stdout)).toContainEqual(
      expect.objectContaining({ account_id: account.account_id, plan: 'scale' }),
    );
    expect((await cli('accounts', 'list')).stdout).toContain(account.account_id);
  });

  test('names mistakes', async () => {
    expect((await failure(['keys', 'create', '--plan', 'gold'])).stderr).toBe(
      'platen: there is no plan "gold"; plans are free, starter, growth, scale, operator\n',
    );
    expect((await failure(['keys', 'create', '--account', 'acc_x'])).stderr).toBe('platen: there is no account "acc_x"\n');
    expect((await failure(['keys', 'revoke', 'plt_x'])).stderr).toContain('use the id of the key (key_...), not its secret');
    expect((await failure(['accounts', 'set-plan', 'acc_x', 'free'])).stderr).toBe('platen: there is no account "acc_x"\n');
  });

  test('makes the database readable only by its owner, wherever the folder is', async () => {
    const open = await mkdtemp(join(tmpdir(), 'platen-test-'));
    await chmod(open, 0o755);
    await runCli(['keys', 'create'], { ...env, PLATEN_DATA_DIR: open });
    for (const name of await readdir(open)) expect((await stat(join(open, name))).mode & 0o077, name).toBe(0);
    await rm(open, { recursive: true });
  });

  test('keeps secrets out of the data folder', async () => {
    const { key } = JSON.parse((await cli('keys', 'create', '--json')).stdout);
    for (const file of ['platen.db', 'platen.db-wal']) {
      const content = await readFile(join(folder, 'data', file), 'latin1').catch(() => '');
      expect(content).not.toContain(key.slice(12));
    }
  });
});

describe('settings', () => {
  test('reports all problems at once, each with its remedy', async () => {
    const { code, stderr } = await failure(['serve'], {
      PLATEN_PORT: 'http',
      PLATEN_SANDBOX: 'maybe',
      PLATEN_CONCURRENCY: '0',
      PLATEN_SWEEP_SECONDS: '2592000',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('PLATEN_SWEEP_SECONDS=2592000: use a whole number from 1 to 2147483.');
    expect(stderr).toContain('PLATEN_PORT=http: use a whole number from 0 to 65535.');
    expect(stderr).toContain('PLATEN_SANDBOX=maybe: use one of auto, on, off.');
    expect(stderr).toContain('PLATEN_CONCURRENCY=0: use a whole number from 1 to 256.');
  });

  test('lists settings with their defaults', async () => {
    expect((await cli('settings')).stdout).toMatch(/^PLATEN_PORT {2}\(default: 3000\)$/m);
  });

  test('ends the start with one line if the port is in use or the browser does not exist', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const busy = await failure(['serve'], { PLATEN_PORT: String(port) });
    blocker.close();
    expect(busy.stderr).toContain('EADDRINUSE');
    expect((await failure(['serve'], { PLATEN_BROWSER_PATH: '/nothing' })).stderr).toContain(
      'PLATEN_BROWSER_PATH=/nothing is not an executable file',
    );
    expect((await failure(['serve'], { PLATEN_BROWSER_PATH: '/bin/true' })).stderr).toContain('the browser could not be started');
  });
});

test('succeeds if its output is not read to the end', async () => {
  const child = spawnCli(['settings'], env);
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

describe('platen doctor', () => {
  test('finds nothing wrong, and names what is used', async () => {
    const { stdout } = await runCli(['doctor'], { ...env, PLATEN_PORT: '0' });
    expect(stdout).toMatch(/^ok {7}browser: .*\((bundled|system)\)$/m);
    expect(stdout).toMatch(/version: HeadlessChrome\/\d+/);
    expect(stdout).toMatch(/sandbox: (on|off)/);
    expect(stdout).toMatch(/fonts for: .*Latin/);
    expect(stdout).toContain('no font for Bengali: npm install @expo-google-fonts/noto-sans-bengali adds one');
    expect(stdout).toMatch(/render: 1 page, \d+ bytes/);
    expect(stdout).toMatch(/database: (SQLite|none yet)/);
    expect(stdout).not.toContain('PROBLEM');
  });

  test('checks the database without changing it', async () => {
    const dataDir = join(folder, 'older');
    await mkdir(dataDir);
    const file = join(dataDir, 'platen.db');
    const database = new DatabaseSync(file);
    database.exec('create table kysely_migration (name text)');
    const doctor = async () =>
      (await runCli(['doctor'], { ...env, PLATEN_DATA_DIR: dataDir, PLATEN_PORT: '0' }).catch((failed) => failed)).stdout;
    const before = await readFile(file);
    expect(await doctor()).toMatch(/database: SQLite in the data folder, 0 API keys\n.*the next start applies 0001-accounts/);
    expect(await readFile(file)).toEqual(before);
    database.exec("insert into kysely_migration values ('9999-later')");
    database.close();
    expect(await doctor()).toMatch(/^PROBLEM {2}database: a newer version of Platen wrote it\n +-> /m);
  });

  test.each([
    ['NoSuchKey', /^ok {7}bucket: documents, not used yet$/m],
    ['NoSuchBucket', /^PROBLEM {2}bucket: documents: the bucket documents cannot be used \(none\)\n +-> check PLATEN_BLOBS_URL/m],
  ])('asks for the bucket (%s)', async (code, line) => {
    const server = createServer((request, response) => {
      response.writeHead(404, { 'content-type': 'application/xml' });
      response.end(request.method === 'GET' ? `<Error><Code>${code}</Code><Message>none</Message></Error>` : '');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    const { stdout } = (await runCli(['doctor'], {
      ...env,
      PLATEN_PORT: '0',
      PLATEN_BLOBS_URL: `s3://documents?endpoint=http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    }).catch((failed) => failed)) as { stdout: string };
    server.close();
    expect(stdout).toMatch(line);
  });

  test('names every problem with its remedy', async () => {
    await writeFile(join(folder, 'file'), '');
    const error = (await runCli(['doctor'], {
      ...env,
      PLATEN_DATA_DIR: join(folder, 'file'),
      PLATEN_BROWSER_PATH: '/bin/true',
    }).catch((failed: unknown) => failed)) as { code: number; stdout: string };
    expect(error.code).toBe(1);
    expect(error.stdout).toMatch(/^PROBLEM {2}browser: .*\n +-> /m);
    expect(error.stdout).toMatch(/^PROBLEM {2}data folder: .*\n +-> .*PLATEN_DATA_DIR/m);
    expect(error.stdout).toMatch(/^PROBLEM {2}database: /m);
  });
});
