/**
 * How much memory do requests use that occupy as much as they can? Sends half-sent bodies, then queued renders, and measures
 * what remains a minute later.
 */
import { connect } from 'node:net';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const CLIENTS = 60;
const BODY_BYTES = 30_000_000;
const LATER_MS = 60_000;
const SAMPLE_MS = 50;
const MB = 1_048_576;
const BUDGET_BYTES = 512 * MB;
const MAX_LEFT_BYTES = 150 * MB;

export async function floods(): Promise<Row[]> {
  return [await flood('half-sent bodies of 30 MB', halfSent), await flood('queued renders with 22 MB of attachments', queued)];
}

/** The allocator setting of `npm start`. */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '1048576' };

/** Resolves when memory cannot grow any further. */
type Flood = (service: ServiceUnderTest) => Promise<() => Promise<unknown>>;

async function flood(name: string, begin: Flood): Promise<Row> {
  const service = await startService(1, ALLOCATOR);
  await service.render(service.keys[0] ?? '', '<p>the first render');
  const resident = () => service.metric('process_resident_memory_bytes');
  const before = await resident();
  let peak = before;
  let watching = true;
  const watch = async () => {
    for (; watching; await pause(SAMPLE_MS)) peak = Math.max(peak, await resident());
  };
  const watched = watch();
  const end = await begin(service);
  const counted = await service.metric('platen_request_memory_bytes');
  await end();
  watching = false;
  await watched;
  await pause(LATER_MS);
  const left = (await resident()) - before;
  await service.stop();
  const grown = peak - before;
  return {
    measure: `memory for ${CLIENTS} ${name} of one account`,
    value: `${inMb(before)} MB before, ${inMb(peak)} MB at most (${inMb(counted)} MB counted), ${inMb(before + left)} MB a minute later`,
    target: `grows by at most ${inMb(BUDGET_BYTES)} MB, and by at most ${inMb(MAX_LEFT_BYTES)} MB a minute later`,
    met: grown <= BUDGET_BYTES && left <= MAX_LEFT_BYTES,
    figures: { before, peak, counted, left },
  };
}

async function halfSent({ url, keys }: ServiceUnderTest): Promise<() => Promise<unknown>> {
  const half = Buffer.alloc(BODY_BYTES / 2, ' ');
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname).resume();
      socket.write(
        `POST /v1/pdf HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys[0]}\r\nContent-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
      );
      await new Promise((sent) => socket.write(half, sent));
      return socket;
    }),
  );
  return async () => {
    for (const socket of clients) socket.destroy();
  };
}

async function queued(service: ServiceUnderTest): Promise<() => Promise<unknown>> {
  const content = Buffer.alloc((BODY_BYTES / 4) * 3 - 300_000, 7).toString('base64');
  const options = { attachments: [{ name: 'a', content }], waitForFunction: 'false', timeout: 30_000 };
  let answered = 0;
  const renders = Array.from({ length: CLIENTS }, () =>
    service.render(service.keys[0] ?? '', '<p>x', options).finally(() => answered++),
  );
  const settled = Promise.allSettled(renders);
  while (answered < CLIENTS / 2) await pause(SAMPLE_MS); // most are refused; the others are waiting
  return () => settled;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function inMb(bytes: number): string {
  return (bytes / MB).toFixed(0);
}
