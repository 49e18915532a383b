/** Only the page whose renderer was killed for its memory is reported as out of memory, not other pages that crash in the same way. */
import { expect, test } from 'vitest';
import { CrashCauses } from '../../src/chromium/browser/crash-causes.ts';

const killed = (targetId: string) => ({ targetId, status: 'killed', errorCode: 9 });
const trapped = (targetId: string) => ({ targetId, status: 'crashed', errorCode: 5 });

test('does not blame a page that was killed for another reason', async () => {
  const causes = new CrashCauses();
  causes.expect('killed', 'hungry');
  expect(await causes.isOutOfMemory(killed('neighbour'))).toBe(false);
  expect(await causes.isOutOfMemory(killed('hungry'))).toBe(true);
  expect(await causes.isOutOfMemory(killed('hungry'))).toBe(false);
});

test('forgets an expected crash together with its page', async () => {
  const causes = new CrashCauses();
  causes.expect('terminated', 'hungry');
  causes.forget('hungry');
  expect(await causes.isOutOfMemory({ targetId: 'hungry', status: 'killed', errorCode: 15 })).toBe(false);
});

test('assigns the crash of a renderer without a known page to the next page that crashes in the same way', async () => {
  const causes = new CrashCauses();
  causes.expect('killed', undefined);
  expect(await causes.isOutOfMemory(killed('any'))).toBe(true);
});

test('reads what V8 logs before a trap', async () => {
  const causes = new CrashCauses();
  causes.readLog('[7:7:0101/000000.000000:ERROR:x.cc(1)] V8 javascript OOM (x)\n');
  expect(await causes.isOutOfMemory(trapped('any'))).toBe(true);
  expect(await causes.isOutOfMemory(trapped('any'))).toBe(false);
});
