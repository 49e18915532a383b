/**
 * Is this tree as fast as another one? Run `npm run bench -- --against FOLDER` with a worktree of an earlier commit in which
 * `npm ci` has run. The two services render alternately, in pairs, so that other load on the machine affects both.
 */
import { join } from 'node:path';
import { invoice, scriptedInvoice } from './documents.ts';
import { median } from './measure.ts';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const DOCUMENTS: Array<[name: string, html: string, pairs: number]> = [
  ['1-page invoice', invoice(20), 1_000],
  ['the same with a script', scriptedInvoice(20), 600],
  ['16-page invoice', invoice(560), 200],
];
/** Pairs that are not counted, while the pages warm up. */
const WARM_UP = 50;

export async function against(folder: string): Promise<Row[]> {
  const other = (await import(join(folder, 'bench/service.ts'))) as { startService(keys: number): Promise<ServiceUnderTest> };
  const before = await other.startService(1);
  const now = await startService(1);
  const rows: Row[] = [];
  for (const [name, html, pairs] of DOCUMENTS) rows.push(await compare(name, html, pairs, before, now));
  await before.stop();
  await now.stop();
  return rows;
}

async function compare(name: string, html: string, pairs: number, before: ServiceUnderTest, now: ServiceUnderTest): Promise<Row> {
  const times = { before: [] as number[], now: [] as number[] };
  for (let pair = -WARM_UP; pair < pairs; pair++) {
    const first = pair % 2 === 0 ? await timeOf(before, html) : undefined;
    const current = await timeOf(now, html);
    const previous = first ?? (await timeOf(before, html));
    if (pair < 0) continue;
    times.before.push(previous);
    times.now.push(current);
  }
  const speed = median(times.before) / median(times.now);
  return {
    measure: `${name}, against the other tree`,
    value: `${speed.toFixed(3)} (medians ${median(times.before).toFixed(1)} and ${median(times.now).toFixed(1)} ms)`,
    target: 'at least 0.97',
    met: speed >= 0.97,
    figures: { speed },
  };
}

async function timeOf(service: ServiceUnderTest, html: string): Promise<number> {
  const startedAt = performance.now();
  await service.render(service.keys[0] ?? '', html);
  return performance.now() - startedAt;
}
