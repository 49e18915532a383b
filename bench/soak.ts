/** Does the memory of the Node process grow over a long run? */
import { invoice, scriptedInvoice } from './documents.ts';
import { inMb, type Row, rowWithLimit } from './measure.ts';
import { startService } from './service.ts';

const STEP = 1_000;
const CLIENTS = 4;
const DOCUMENTS = [invoice(20), scriptedInvoice(20), invoice(80)];
/** The ratio by which memory after a garbage collection may vary between two samples, because of fragmentation and allocator pools. */
const MAX_GROWTH = 1.05;

export async function* measureSoak(renders: number): AsyncGenerator<Row> {
  await using service = await startService(20);
  const resident: number[] = [];
  const collected: number[] = [];
  let next = 0;
  for (let done = 0; done < renders; done += STEP) {
    const render = async () => {
      for (let n = next++; n < done + STEP; n = next++)
        await service.render({ html: DOCUMENTS[n % DOCUMENTS.length] }, service.keys[n % service.keys.length]);
    };
    next = done;
    await Promise.all(Array.from({ length: CLIENTS }, render));
    const memory = await service.memory();
    resident.push(inMb(memory.residentBytes));
    collected.push(inMb(memory.collectedBytes));
    const inBrowser =
      (await service.metric('platen_browser_memory_bytes')) + (await service.metric('platen_renderer_memory_bytes'));
    process.stdout.write(
      `        after ${done + STEP} renders: Node ${resident.at(-1)} MB, collected ${collected.at(-1)} MB (heap ${inMb(memory.heapBytes)} MB), browser and renderers ${inMb(inBrowser)} MB\n`,
    );
  }
  const [first = 0, ...later] = collected;
  const growth = Math.max(...later.slice(-3)) / first;
  yield rowWithLimit(
    `memory of the Node process after a garbage collection, after ${renders} renders against after ${STEP}`,
    `${growth.toFixed(2)} (${first} MB, then ${later.join(' ')}; before the collection ${resident.join(' ')})`,
    { growth, resident, collected },
    { limited: growth, most: MAX_GROWTH },
  );
}
