/** What happens at eight times the capacity? Requests arrive at a fixed rate, independent of the replies. */
import { invoice } from './documents.ts';
import { closedLoop, quantile } from './measure.ts';
import type { Row } from './report.ts';
import { startService } from './service.ts';

const QUEUE_LIMIT = 16;
const SECONDS = 8;
const TIMES_CAPACITY = 8;

export async function overload(): Promise<Row> {
  const html = invoice(560);
  const service = await startService(4, { PLATEN_QUEUE_LIMIT: String(QUEUE_LIMIT) });
  const send = (n: number) => service.render(service.keys[n % 4] ?? '', html);
  const { perSecond: capacity } = await closedLoop(
    4,
    3,
    async () => undefined,
    async () => void (await send(0)),
  );
  const served: number[] = [];
  const refused: number[] = [];
  const pending: Promise<void>[] = [];
  const total = Math.round(capacity * TIMES_CAPACITY * SECONDS);
  const startedAt = performance.now();
  for (let n = 0; n < total; n++) {
    const due = startedAt + (n / (capacity * TIMES_CAPACITY)) * 1000;
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    const sent = performance.now();
    pending.push(
      send(n).then(({ status }) => {
        if (status !== 200 && status !== 429) throw new Error(`status ${status}`);
        (status === 200 ? served : refused).push(performance.now() - sent);
      }),
    );
  }
  await Promise.all(pending);
  await service.stop();
  const boundMs = ((QUEUE_LIMIT + 4) / capacity) * 1000;
  const p99Ms = quantile(served, 0.99);
  const refusedP99Ms = quantile(refused, 0.99);
  return {
    measure: `p99 at ${TIMES_CAPACITY} times the capacity, with a queue of ${QUEUE_LIMIT}`,
    value: `served p99 ${p99Ms.toFixed(0)} ms (a full queue takes ${boundMs.toFixed(0)} ms), refused p50 ${quantile(refused, 0.5).toFixed(1)} ms, p99 ${refusedP99Ms.toFixed(1)} ms; ${served.length} served, ${refused.length} refused`,
    target: 'bounded by the queue; refusals within 50 ms',
    met: p99Ms <= 3 * boundMs && refusedP99Ms <= 50,
    figures: { capacity, p99Ms, boundMs, refusedP99Ms, served: served.length, refused: refused.length },
  };
}
