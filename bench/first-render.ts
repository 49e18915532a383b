/** What does the first render of a key cost, and the first render of a new service? */
import { invoice } from './documents.ts';
import { median } from './measure.ts';
import type { Row } from './report.ts';
import type { ServiceUnderTest } from './service.ts';
import { startService } from './service.ts';

const NEW_KEYS = 25;
const LATER_RENDERS = 6;
const COLD_STARTS = 5;

export async function firstRender(service: ServiceUnderTest): Promise<Row> {
  const html = invoice(20);
  const first: number[] = [];
  const later: number[] = [];
  for (const key of service.keys.slice(-NEW_KEYS)) {
    await sparesReady(service);
    first.push(await timed(() => service.render(key, html)));
    for (let n = 0; n < LATER_RENDERS; n++) later.push(await timed(() => service.render(key, html)));
  }
  const ratio = median(first) / median(later);
  return {
    measure: "p50 of a key's very first render against its later ones",
    value: `${ratio.toFixed(2)} (${median(first).toFixed(1)} ms against ${median(later).toFixed(1)} ms)`,
    target: 'at most 1.5',
    met: ratio <= 1.5,
    figures: { ratio, firstMs: median(first), laterMs: median(later) },
  };
}

export async function coldStart(): Promise<Row> {
  const toListening: number[] = [];
  const toPdf: number[] = [];
  for (let n = 0; n < COLD_STARTS; n++) {
    const service = await startService(1);
    const firstMs = await timed(() => service.render(service.keys[0] ?? '', invoice(20)));
    toListening.push(service.startedInMs);
    toPdf.push(service.startedInMs + firstMs);
    await service.stop();
  }
  const value = median(toPdf);
  return {
    measure: 'cold start to first PDF, browser unpacked before',
    value: `${value.toFixed(0)} ms (listening after ${median(toListening).toFixed(0)} ms)`,
    target: 'under 2000 ms',
    met: value < 2_000,
    figures: { toPdfMs: value, toListeningMs: median(toListening) },
  };
}

async function sparesReady(service: ServiceUnderTest): Promise<void> {
  while ((await service.metric('platen_pages_primed')) < 2) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
