/** The threads that finish PDFs: failures stay isolated, and tasks of disconnected clients are not run. */
import { describe, expect, test } from 'vitest';
import { hasCode, type ServiceError } from '../../src/errors.ts';
import { DOCUMENT, finish, openFinisher, settings, TABLE, TAGGED, watermark } from '../support/finishing.ts';
import { RawPrinter } from '../support/raw-printer.ts';

const printer = await RawPrinter.start();
const small = await printer.print(DOCUMENT);
const large = await printer.print(TABLE, TAGGED);
await printer.close();

const PASSWORD = { user: 'confidential', owner: 'very confidential', permissions: undefined };

async function failure(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return error as ServiceError;
}

/** Returns a PDF with this many objects, almost all of them empty. */
function manyObjects(count: number): Buffer {
  const bodies = ['<</Type /Catalog /Pages 2 0 R>>', '<</Type /Pages /Kids [] /Count 0>>'];
  let text = '%PDF-1.4\n';
  let table = `xref\n0 ${count + 1}\n0000000000 65535 f \n`;
  for (let id = 1; id <= count; id++) {
    table += `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${id} 0 obj\n${bodies[id - 1] ?? 'null'}\nendobj\n`;
  }
  return Buffer.from(`${text}${table}trailer\n<</Size ${count + 1} /Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`);
}

describe('failures', () => {
  test('fails a document that needs too much memory, and processes the next one', async () => {
    const finisher = openFinisher({ heapMb: 32 });
    const error = await failure(finish(finisher, manyObjects(300_000), { compress: true }));
    expect(error.code).toBe('resource_limit');
    expect(await finish(finisher, small, { compress: true })).not.toHaveLength(0);
    await finisher.close();
  });

  test('fails the render without blocking if a thread cannot start', async () => {
    const finisher = openFinisher({ heapMb: 4 });
    for (let attempt = 0; attempt < 2; attempt++) expect((await failure(finish(finisher, small))).code).toBe('resource_limit');
    await finisher.close();
  });

  test('does not reveal content or passwords if the input is no PDF', async () => {
    const finisher = openFinisher();
    const damaged = [
      Buffer.from('secret content'),
      small.subarray(0, -200),
      Buffer.from(small.toString('latin1').replace('1 0 obj', '1 0 xxx'), 'latin1'),
    ];
    for (const pdf of damaged) {
      const error = await failure(finish(finisher, pdf, { password: PASSWORD }));
      expect(error.code).toBe('print_failed');
      const { message, stack, cause } = error;
      expect(`${message} ${stack} ${(cause as Error).message} ${(cause as Error).stack}`).not.toMatch(
        /confidential|secret|content/,
      );
    }
    const error = await failure(finish(finisher, small, { watermark: watermark(Buffer.from('no stamp')) }));
    expect(error.code).toBe('print_failed');
    expect(await finish(finisher, small, { password: PASSWORD })).not.toHaveLength(0);
    await finisher.close();
  });
});

test('ends the thread of a task that is aborted, and does not start one for an aborted task', async () => {
  const finisher = openFinisher();
  const reason = new Error('gone');
  const caller = new AbortController();
  const first = failure(finish(finisher, large, { compress: true }, caller.signal));
  caller.abort(reason);
  expect(await first).toBe(reason);
  expect(await failure(finish(finisher, small, {}, AbortSignal.abort(reason)))).toBe(reason);
  expect(await finish(finisher, small)).not.toHaveLength(0);
  await finisher.close();
});

test('transfers buffers that own their memory, and copies buffers that share it', async () => {
  const finisher = openFinisher();
  const neighbour = Buffer.from('neighbour');
  const owned = Buffer.from(Uint8Array.from(large).buffer);
  const pieces = [Buffer.from(small)];
  expect(
    Buffer.concat(await finisher.finish([owned], settings(), new AbortController().signal))
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  await finisher.finish(pieces, settings(), new AbortController().signal);
  expect(owned).toHaveLength(0);
  expect(neighbour.toString()).toBe('neighbour');
  await finisher.close();
});

test('rejects running and new tasks after it was closed', async () => {
  const finisher = openFinisher();
  finisher.prepare();
  const running = failure(finish(finisher, large, { compress: true }));
  await finisher.close();
  expect(hasCode(await running, 'shutting_down')).toBe(true);
  expect(hasCode(await failure(finish(finisher, small)), 'shutting_down')).toBe(true);
  finisher.prepare();
});
