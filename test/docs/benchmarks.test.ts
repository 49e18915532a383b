/** The page of benchmarks and its plot are made from a result of `npm run bench -- --peers`, and from nothing else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPeers } from '../../bench/peers.ts';
import { type BenchmarkResult, benchmarkFiles, OPERATE, writeBenchmarks } from '../../tools/docs/benchmarks.ts';
import { startService } from '../support/service.ts';

const speed = { measure: '', document: 'a letter', p50Ms: 12.4, p99Ms: 98.7, renders: 33, rounds: 5, clients: 4, seconds: 3 };
const RESULT: BenchmarkResult = {
  startedAt: '2026-03-04T05:06:07.890Z',
  arguments: ['--peers', '--rounds', '5'],
  machine: { cores: 8, model: 'A processor', node: 'v24.0.0', load: 0.25 },
  rows: [
    { measure: '', peer: 'Platen', version: '7.8.9' },
    { measure: '', peer: 'WeasyPrint', version: '70.1' },
    { ...speed, peer: 'Platen', perSecond: 61.25 },
    { ...speed, peer: 'WeasyPrint', perSecond: 1.52 },
    { measure: '', grows: 'pages', size: 1, processorMs: 10, rounds: 5 },
    { measure: '', grows: 'pages', size: 64, processorMs: 500, rounds: 5 },
    { measure: '', grows: 'keys', size: 1_000, processorMs: 12.34, rounds: 5 },
  ],
};

const write = (result: BenchmarkResult) => {
  const files = writeBenchmarks(result);
  return { page: files.get('benchmarks.md') ?? '', plot: files.get('benchmarks.svg') ?? '' };
};

test.each([...(await benchmarkFiles())])('%s is up to date with `npm run docs`', async (name, text) => {
  expect(await readFile(join(OPERATE, name), 'utf8')).toBe(text);
});

test('the page has the figures, versions and machine of the result', () => {
  const { page } = write(RESULT);
  expect(page).toContain('| a letter | Platen | 61.3 | 12 ms | 99 ms | 33 |');
  expect(page).toContain('| a letter | WeasyPrint | 1.5 | 12 ms | 99 ms | 33 |');
  expect(page).toContain('| WeasyPrint | 70.1 |');
  expect(page).toContain('| keys | 1,000 | 12.3 ms | 5 |');
  expect(page).toMatch(/`npm run bench -- --peers --rounds 5` measured .* 2026-03-04, on 8 cores \(A processor\)/);
  expect(page).toMatch(/in\s5 rounds/);
});

test('peers that were not measured have no rows, and are named', () => {
  const { page } = write(RESULT);
  expect(page).not.toMatch(/^\|.*(Gotenberg|jsreport)/m);
  expect(page).toContain('This run did not include Gotenberg and jsreport.');
});

test('says when other programs were running', () => {
  const busy = { ...RESULT, machine: { ...RESULT.machine, load: 12.3 } };
  expect(write(busy).page).toContain('The load average at the start was 12.3. Other programs were running');
  expect(write(RESULT).page).not.toContain('Other programs');
});

test('the plot has a line for each thing that grows, and a point for each figure', () => {
  const { plot } = write(RESULT);
  expect(plot.match(/<polyline/g)).toHaveLength(2);
  expect(plot.match(/<circle/g)).toHaveLength(3);
  const heights = [...plot.matchAll(/<circle cx="[\d.]+" cy="([\d.]+)"/g)].map(([, y]) => Number(y));
  expect((170 - (heights[0] ?? 0)) / (170 - (heights[1] ?? 0))).toBeCloseTo(10 / 500, 2); // both from zero, at y 170
});

test('peers that are not given are not opened', async () => {
  expect(await openPeers({})).toEqual([]);
});

test('asks Gotenberg for its version and for a PDF, by the routes that Platen has too', async () => {
  await using first = await startService();
  const { key, env } = first;
  await first.stop();
  const settings = { PLATEN_DATA_DIR: `${env.PLATEN_DATA_DIR}`, PLATEN_GOTENBERG_ROUTES: 'on', PLATEN_GOTENBERG_KEY: key };
  await using service = await startService(settings, { firstKey: key });
  const [peer] = await openPeers({ gotenberg: service.url });
  expect(peer).toMatchObject({ name: 'Gotenberg', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  await peer?.render('<p>Hello');
});
