/** The plans file: its valid content, and error messages that name all problems at once. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../src/accounts/duration.ts';
import { loadPlans } from '../../src/accounts/plans.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { runCli } from '../support/service.ts';

const folder = await makeFolder('plans');

async function load(content: unknown) {
  const plansFile = join(folder, 'plans.json');
  await writeFile(plansFile, typeof content === 'string' ? content : JSON.stringify(content));
  return loadPlans({ plansFile });
}

const good = { documents: 5, retention: '2s' };

describe('a valid plans file', () => {
  test('accepts any names, and reads null and a missing value as no limit', async () => {
    const plans = await load({
      plans: { tiny: good, 'No-Limit_2': { documents: null, retention: 0, requests_per_minute: null } },
    });
    expect(plans.all).toEqual([
      {
        name: 'tiny',
        documents: 5,
        retentionMs: 2_000,
        requestsPerMinute: null,
        concurrency: null,
        openItems: null,
        storageBytes: null,
      },
      {
        name: 'No-Limit_2',
        documents: null,
        retentionMs: 0,
        requestsPerMinute: null,
        concurrency: null,
        openItems: null,
        storageBytes: null,
      },
    ]);
    expect(plans.defaultName).toBe('tiny');
  });

  test('gives new accounts the plan named free if there is one', async () => {
    expect((await load({ plans: { gold: good, free: good } })).defaultName).toBe('free');
  });

  test.each([
    ['2s', 2_000],
    ['500ms', 500],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['1d', 86_400_000],
    ['2w', 1_209_600_000],
    ['1y', 31_536_000_000],
    ['0', 0],
    ['0d', 0],
  ])('accepts the duration %s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  test.each(['', 'd', '1', '-1d', '1.5d', '1 month', '1D', '9999y', 'P1D'])('rejects the duration %j', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );
});

test('reports every problem at once, with its path and the valid values', async () => {
  const file = {
    plans: {
      free: { documents: -1, retention: 'a while' },
      'bad name': good,
      list: [],
      empty: {},
      odd: { ...good, requests_per_minute: 0, concurrency: 1.5, documnets: 3 },
    },
    version: 2,
  };
  const error = await load(file).catch((e: Error) => e);
  expect((error as Error).message.split('\n').slice(1)).toEqual([
    '  version: there is no such member; use plans.',
    '  plans.free.documents: is -1; use a whole number, at least 0, or null for no limit.',
    '  plans.free.retention: is "a while"; use a duration such as 30m, 12h, 1d, 2w or 1y, or 0 to store nothing.',
    '  plans.bad name: a name consists of letters, digits, - and _, and has at most 64 characters.',
    '  plans.list: must be an object with documents, retention, requests_per_minute, concurrency, open_items, storage_mb.',
    '  plans.empty.documents: is missing; use a whole number, at least 0, or null for no limit.',
    '  plans.empty.retention: is missing; use a duration such as 30m, 12h, 1d, 2w or 1y, or 0 to store nothing.',
    '  plans.odd.documnets: there is no such member; use documents, retention, requests_per_minute, concurrency, open_items, storage_mb.',
    '  plans.odd.requests_per_minute: is 0; use a whole number, at least 1, or null for no limit.',
    '  plans.odd.concurrency: is 1.5; use a whole number, at least 1, or null for no limit.',
  ]);
});

test.each([['{"plans": '], ['[]'], ['{}'], ['{"plans": {}}'], ['{"plans": []}'], ['null']])(
  'rejects %s as a plans file',
  async (content) => {
    await expect(load(content)).rejects.toThrow('PLATEN_PLANS_FILE');
  },
);

test('refuses to start with one clear message if the file is faulty or lacks a plan in use', async () => {
  const env = { ...process.env, PLATEN_DATA_DIR: join(folder, 'data'), PLATEN_PORT: '0' } as Record<string, string>;
  const file = join(folder, 'start.json');
  await writeFile(file, '{"plans": {"free": {}}}');
  const faulty = await runCli(['serve'], { ...env, PLATEN_PLANS_FILE: file }).catch((e: { stderr: string }) => e);
  expect(faulty.stderr).toContain('plans.free.documents: is missing');
  expect(faulty.stderr).not.toContain('    at ');
  await runCli(['accounts', 'create', '--plan', 'scale'], env);
  await writeFile(file, JSON.stringify({ plans: { free: good } }));
  const lacking = await runCli(['serve'], { ...env, PLATEN_PLANS_FILE: file }).catch((e: { stderr: string }) => e);
  expect(lacking.stderr).toMatch(
    new RegExp(
      `^platen: Accounts are on plans that the plans file ${file} does not define: scale\\. Add these plans to the file, or `,
    ),
  );
});

test('names every fault of the plans in platen doctor, which fails as the start does', async () => {
  const env = { ...process.env, PLATEN_DATA_DIR: join(folder, 'doctor'), PLATEN_BROWSER_PATH: '/bin/true' } as Record<
    string,
    string
  >;
  const file = join(folder, 'doctor.json');
  const failed = (command: string, plansFile: string) =>
    runCli([command], { ...env, PLATEN_PORT: '0', PLATEN_PLANS_FILE: plansFile }).then(
      () => Promise.reject(new Error('it did not fail')),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  await writeFile(file, JSON.stringify({ plans: { trial: good } }));
  await runCli(['accounts', 'create', '--plan', 'trial'], { ...env, PLATEN_PLANS_FILE: file });
  expect((await failed('doctor', file)).stdout).toContain(`ok       plans: trial (${file})\n`);
  const missing =
    'Accounts are on plans that are not built in, and PLATEN_PLANS_FILE is not set: trial. Set PLATEN_PLANS_FILE to ';
  expect((await failed('doctor', '')).stdout).toContain(`PROBLEM  plans: ${missing}`);
  expect((await failed('serve', '')).stderr).toContain(missing);
  await writeFile(file, '{"plans": {"free": {}}}');
  expect((await failed('doctor', file)).stdout).toMatch(/^PROBLEM {2}plans: .*\n {2}plans\.free\.documents: is missing/m);
  const absent = join(folder, 'none.json');
  const reason = `The plans file ${absent} (PLATEN_PLANS_FILE) is not valid:\n  it cannot be read: there is no such file\n`;
  expect((await failed('doctor', absent)).stdout).toContain(`PROBLEM  plans: ${reason}`);
  expect((await failed('serve', absent)).stderr).toBe(`platen: ${reason}`);
}, 60_000);

test('lists the retention in the unit of the plans file', async () => {
  const file = join(folder, 'listed.json');
  const plans = Object.fromEntries(
    ['2s', '90m', '14d', '30d', '1y'].map((retention) => [`p${retention}`, { ...good, retention }]),
  );
  await writeFile(file, JSON.stringify({ plans }));
  const { stdout } = await runCli(['plans'], { ...process.env, PLATEN_PLANS_FILE: file } as Record<string, string>);
  const shown = stdout.split('\n').map((line) => line.split(/ {2,}/));
  for (const [name, expected] of Object.entries({ p2s: '2s', p90m: '90m', p14d: '2w', p30d: '30d', p1y: '1y' }))
    expect(shown.find(([plan]) => plan === name)?.[2]).toBe(expected);
});
