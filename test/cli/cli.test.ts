/** The command line as an operator uses it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { setUpCli } from '../support/cli-folder.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { runCli, spawnCli } from '../support/service.ts';
import { Site } from '../support/site.ts';
import { BROWSER_SETTINGS } from '../support/test-browser.ts';

const { folder, env, cli, failure } = setUpCli();

/** Runs the command, whether it succeeds or fails. */
const doctor = (settings: Record<string, string> = {}): Promise<{ code?: number; stdout: string }> =>
  runCli(['doctor'], { ...env, PLATEN_PORT: '0', ...settings }).catch((failed) => failed);
const CLI = ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('../../src/cli.ts', import.meta.url))];

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

describe('platen keys and accounts', () => {
  test('creates, lists, rotates and revokes keys', async () => {
    const created = JSON.parse((await cli('keys', 'create', '--plan', 'growth', '--name', 'mine', '--json')).stdout);
    expect(created).toEqual({
      key: expect.stringMatching(/^plt_[0-9A-Za-z]{38}$/),
      key_id: expect.stringMatching(/^key_/),
      account_id: expect.stringMatching(/^acc_/),
      plan: 'growth',
      test: false,
      expires_at: null,
      previous_secret_expires_at: null,
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

  test('creates the key of an administrator, which no other option makes', async () => {
    const created = JSON.parse((await cli('keys', 'create', '--administrator', '--scopes', 'account', '--json')).stdout);
    const other = JSON.parse((await cli('keys', 'create', '--account', created.account_id, '--json')).stdout);
    await cli('keys', 'rotate', created.key_id);
    const listed = JSON.parse((await cli('keys', 'list', '--json')).stdout) as Array<{ key_id: string; administrator: boolean }>;
    const markOf = (id: string) => listed.find(({ key_id }) => key_id === id)?.administrator;
    expect([markOf(created.key_id), markOf(other.key_id)]).toEqual([true, false]);
    const refused = await failure(['keys', 'create', '--administrator', '--test']);
    expect(refused.stderr).toContain('cannot be combined with --test');
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

  test('says until when a key and an earlier secret work', async () => {
    const later = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 14);
    const key = JSON.parse((await cli('keys', 'create', '--expires-in', '30d', '--json')).stdout);
    expect(key.expires_at.slice(0, 14)).toBe(later(30 * 86_400_000));
    expect((await cli('keys', 'create', '--expires-in', '30d')).stdout).toContain(`\nIt expires at ${later(30 * 86_400_000)}`);
    const { stdout } = await cli('keys', 'rotate', key.key_id, '--grace', '24h');
    expect(stdout).toContain(`\nThe earlier secret works until ${later(86_400_000)}`);
    const rotated = JSON.parse((await cli('keys', 'rotate', key.key_id, '--grace', '24h', '--json')).stdout);
    expect(rotated.previous_secret_expires_at.slice(0, 14)).toBe(later(86_400_000));
  });

  test('deletes an account at a terminal only with --yes, and says what it had', async () => {
    const { account_id } = JSON.parse((await cli('keys', 'create', '--json')).stdout);
    const command = `${process.execPath} ${CLI.join(' ')} accounts delete ${account_id}`;
    const atTerminal = promisify(execFile)('script', ['-qec', command, '/dev/null'], { env: { ...BROWSER_SETTINGS, ...env } });
    const content = '1 API keys that work, 0 stored documents and 0 templates';
    await expect(atTerminal).rejects.toMatchObject({
      code: 1,
      stdout: `platen: this permanently deletes ${account_id} with ${content}; run it again with --yes\r\n`,
    });
    const { stdout } = await cli('accounts', 'delete', account_id, '--yes');
    expect(stdout).toContain(`${account_id} had ${content}\n`);
    for (const args of [['delete'], ['resume'], ['set-plan']])
      expect((await failure(['accounts', ...args, account_id, ...(args[0] === 'set-plan' ? ['free'] : [])])).stderr).toBe(
        `platen: the account "${account_id}" was deleted\n`,
      );
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
    const open = await makeTestFolder();
    await chmod(open, 0o755);
    await runCli(['keys', 'create'], { ...env, PLATEN_DATA_DIR: open });
    for (const name of await readdir(open)) expect((await stat(join(open, name))).mode & 0o077, name).toBe(0);
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

  test('are listed with their defaults and valid values', async () => {
    const { stdout } = await cli('settings');
    expect(stdout).toContain('PLATEN_PORT  (default: 3000; valid: whole number, 0 to 65,535)\n    Port that the service');
    expect(stdout).toContain('PLATEN_SANDBOX  (default: auto; valid: auto, on, off)\n');
  });

  test('refuses misspelt settings, with the nearest name', async () => {
    const mistakes = {
      PLATEN_PROT: '8080',
      PLATEN_DATADIR: '/tmp/x',
      PLATEN_TEST_RENDER_PER_DAY: '5',
      PLATEN_COLOUR: 'red',
      PLATEN_DB_URL: 'x',
      PLATEN_DSN_URL: 'x',
    };
    for (const args of [['serve'], ['keys', 'create'], ['doctor']]) {
      const { code, stderr } = await failure(args, { ...mistakes, PLATEN_SANDBOX: 'maybe' });
      expect(code).toBe(1);
      expect(stderr).toContain('PLATEN_PROT: there is no such setting; did you mean PLATEN_PORT?');
      expect(stderr).toContain('PLATEN_DATADIR: there is no such setting; did you mean PLATEN_DATA_DIR?');
      expect(stderr).toContain('PLATEN_TEST_RENDER_PER_DAY: there is no such setting; did you mean PLATEN_TEST_RENDERS_PER_DAY?');
      expect(stderr).toContain('PLATEN_DB_URL: there is no such setting; did you mean PLATEN_DATABASE_URL?');
      expect(stderr).toContain('PLATEN_DSN_URL: there is no such setting; `platen settings` lists all settings.');
      expect(stderr).toContain('PLATEN_COLOUR: there is no such setting; `platen settings` lists all settings.');
      expect(stderr).toContain('PLATEN_SANDBOX=maybe: use one of auto, on, off.');
      expect(stderr).not.toMatch(/8080|red|\/tmp\/x/);
    }
  });

  test('ignores variables that Kubernetes adds for a Service named platen', () => {
    const added = {
      PLATEN_SERVICE_HOST: '10.96.0.7',
      PLATEN_SERVICE_PORT: '80',
      PLATEN_SERVICE_PORT_HTTP: '80',
      PLATEN_PORT: 'tcp://10.96.0.7:80',
      PLATEN_PORT_80_TCP: 'tcp://10.96.0.7:80',
      PLATEN_PORT_80_TCP_PROTO: 'tcp',
      PLATEN_PORT_80_TCP_PORT: '80',
      PLATEN_PORT_80_TCP_ADDR: '10.96.0.7',
    };
    expect(loadConfig(added)).toEqual(loadConfig({}));
    expect(() => loadConfig({ PLATEN_PORT: 'http' })).toThrow('PLATEN_PORT=http');
    expect(() => loadConfig({ PLATEN_SERVICE_POT: '80' })).toThrow('PLATEN_SERVICE_POT');
  });

  test('ends the start with one line if the port is in use or the browser does not exist', async () => {
    using blocker = await Site.start();
    expect((await failure(['serve'], { PLATEN_PORT: String(blocker.port) })).stderr).toMatch(/EADDRINUSE.*PLATEN_PORT/);
    expect((await failure(['serve'], { PLATEN_BROWSER_PATH: '/nothing' })).stderr).toContain(
      'PLATEN_BROWSER_PATH=/nothing is not an executable file',
    );
    expect((await failure(['serve'], { PLATEN_BROWSER_PATH: '/bin/true' })).stderr).toContain('the browser could not be started');
  });
});

describe('a database that cannot be used', () => {
  const COMMANDS = [['keys', 'list'], ['keys', 'create'], ['usage'], ['backup', join(folder, 'never')], ['serve']];
  /** The error output of each command, which must be one line. */
  async function sentences(dataDir: string, as: object = {}): Promise<string[]> {
    const outputs: string[] = [];
    for (const args of COMMANDS) {
      const { code, stderr } = await promisify(execFile)(process.execPath, [...CLI, ...args], {
        env: { ...env, PLATEN_DATA_DIR: dataDir, PLATEN_PORT: '0', HOME: '/tmp' },
        ...as,
      }).then(
        () => Promise.reject(new Error(`${args} did not fail`)),
        (error: { code: number; stderr: string }) => error,
      );
      expect({ args, code, lines: stderr.trimEnd().split('\n').length }, stderr).toEqual({ args, code: 1, lines: 1 });
      outputs.push(stderr);
    }
    return outputs;
  }

  const damages: Array<[string, (content: Buffer) => Buffer]> = [
    ['truncated to some pages', (content) => content.subarray(0, 20_000)],
    ['truncated to a part of its header', (content) => content.subarray(0, 50)],
    ['replaced with something else', () => Buffer.from('not a database'.repeat(5_000))],
    [
      'overwritten in the middle',
      (content) => Buffer.concat([content.subarray(0, 8_192), Buffer.alloc(40_960, 7), content.subarray(49_152)]),
    ],
  ];
  test.each(damages)('is one sentence if it was %s', { timeout: 120_000 }, async (_how, damage) => {
    const dataDir = await mkdtemp(join(folder, 'damaged-'));
    await runCli(['keys', 'create'], { ...env, PLATEN_DATA_DIR: dataDir });
    const file = join(dataDir, 'platen.db');
    await writeFile(file, damage(await readFile(file)));
    for (const sentence of await sentences(dataDir)) expect(sentence).toContain(`the database in ${dataDir} is damaged (`);
    const { stdout } = await doctor({ PLATEN_DATA_DIR: dataDir });
    expect(stdout).toMatch(/^PROBLEM {2}database: .*\n {9}-> restore a backup into a new data folder/m);
    expect(stdout).not.toContain('belong to this user');
  });

  test.skipIf(process.getuid?.() !== 0)('is one sentence if this user may not write it', { timeout: 120_000 }, async () => {
    const dataDir = await makeTestFolder('unwritable');
    await runCli(['keys', 'create'], { ...env, PLATEN_DATA_DIR: dataDir });
    await chmod(dataDir, 0o755);
    await chmod(join(dataDir, 'platen.db'), 0o644);
    for (const sentence of await sentences(dataDir, { uid: 65_534, gid: 65_534 })) expect(sentence).toContain(dataDir);
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
  /** For what is not about the browser, which takes most of the time. */
  const NO_BROWSER = { PLATEN_BROWSER_PATH: '/bin/true' };

  test('finds nothing wrong, and names what is used', async () => {
    const { stdout } = await doctor();
    expect(stdout).toMatch(/^ok {7}browser: .*\((bundled|system)\)$/m);
    expect(stdout).toMatch(/version: HeadlessChrome\/\d+/);
    expect(stdout).toMatch(/sandbox: (on|off)/);
    expect(stdout).toMatch(/fonts for: .*Latin/);
    expect(stdout).toContain('note     no font for Bengali: npm install @expo-google-fonts/noto-sans-bengali adds one');
    expect(stdout).toContain('note     no font for Odia: npm install @expo-google-fonts/noto-sans-oriya adds one');
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
    const checked = async () => (await doctor({ ...NO_BROWSER, PLATEN_DATA_DIR: dataDir })).stdout;
    const before = await readFile(file);
    expect(await checked()).toMatch(/database: SQLite in the data folder, 0 API keys\n.*the next start applies 0025-baseline/);
    expect(await readFile(file)).toEqual(before);
    database.exec("insert into kysely_migration values ('9999-later')");
    database.close();
    expect(await checked()).toMatch(/^PROBLEM {2}database: a newer version of Platen wrote it\n +-> /m);
  });

  test.each([
    ['NoSuchKey', /^ok {7}bucket: documents, not used yet$/m],
    ['NoSuchBucket', /^PROBLEM {2}bucket: documents: the bucket documents cannot be used \(none\)\n +-> check PLATEN_BLOBS_URL/m],
  ])('asks for the bucket (%s)', async (code, line) => {
    using site = await Site.start();
    site.serveOthers((request, response) => {
      response.writeHead(404, { 'content-type': 'application/xml' });
      response.end(request.method === 'GET' ? `<Error><Code>${code}</Code><Message>none</Message></Error>` : '');
    });
    const { stdout } = await doctor({
      ...NO_BROWSER,
      PLATEN_BLOBS_URL: `s3://documents?endpoint=${site.origin}`,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    });
    expect(stdout).toMatch(line);
  });

  test('names every problem with its remedy', async () => {
    await writeFile(join(folder, 'file'), '');
    const error = await doctor({ ...NO_BROWSER, PLATEN_DATA_DIR: join(folder, 'file') });
    expect(error.code).toBe(1);
    expect(error.stdout).toMatch(/^PROBLEM {2}browser: .*\n +-> /m);
    expect(error.stdout).toMatch(/^PROBLEM {2}data folder: .*\n +-> .*PLATEN_DATA_DIR/m);
    expect(error.stdout).toMatch(/^PROBLEM {2}database: /m);
  });
});
