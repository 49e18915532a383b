/** Does the memory of the Node process grow over a long run? */
import { invoice, scriptedInvoice } from './documents.ts';
import type { Row } from './report.ts';
import { startService } from './service.ts';

const STEP = 1_000;
const CLIENTS = 4;
/**
 * The ratio by which memory after a garbage collection may vary between two samples, because of fragmentation and allocator
 * pools.
 */
const SWAY = 1.05;

export async function soak(renders: number, print: (line: string) => void): Promise<Row> {
  const service = await startService(20);
  const resident: number[] = [];
  const collected: number[] = [];
  for (let done = 0; done < renders; done += STEP) {
    await renderMany(service, STEP);
    const memory = await service.memory();
    resident.push(memory.residentBytes);
    collected.push(memory.collectedBytes);
    const browsers =
      (await service.metric('platen_browser_memory_bytes')) + (await service.metric('platen_renderer_memory_bytes'));
    print(
      `after ${done + STEP} renders: Node ${megabytes(memory.residentBytes)} MB, collected ${megabytes(memory.collectedBytes)} MB (heap ${megabytes(memory.heapBytes)} MB), browser and renderers ${megabytes(browsers)} MB`,
    );
  }
  await service.stop();
  const [first = 0, ...later] = collected;
  const growth = Math.max(...later.slice(-3)) / first;
  return {
    measure: `memory of the Node process after a garbage collection, after ${renders} renders against after ${STEP}`,
    value: `${growth.toFixed(2)} (${megabytes(first)} MB, then ${later.map(megabytes).join(' ')}; before the collection ${resident.map(megabytes).join(' ')})`,
    target: `no growth (at most ${SWAY})`,
    met: growth <= SWAY,
    figures: { growth, residentBytes: resident, collectedBytes: collected },
  };
}

async function renderMany(service: Awaited<ReturnType<typeof startService>>, count: number): Promise<void> {
  const documents = [invoice(20), scriptedInvoice(20), invoice(80)];
  let next = 0;
  const client = async () => {
    while (next < count) {
      const n = next++;
      const { status } = await service.render(service.keys[n % service.keys.length] ?? '', documents[n % documents.length] ?? '');
      if (status !== 200) throw new Error(`status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
