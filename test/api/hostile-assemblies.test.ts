/** Forms for PDFs that exist, which would take all time or memory of the service, are refused, or leave it both for others. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { bytesOf, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { GotenbergClient, refusal } from '../support/gotenberg-client.ts';
import { PIXEL } from '../support/pixel.ts';
import { readZip } from '../support/read-zip.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { smallPdf } from '../support/small-pdf.ts';

const start = (settings: Record<string, string> = {}) => startService({ PLATEN_GOTENBERG_ROUTES: 'on', ...settings });
const service = await start().then(closeAfterAll);
const { key } = await service.createKey('growth');
const gotenberg = new GotenbergClient(service.url, key);

const PAGE = smallPdf([{ content: 'BT /F 12 Tf 20 100 Td (one) Tj ET' }]);
const filesOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.pdf`, PAGE]));

async function peakMegabytes({ child }: Service): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

describe('a form with many files', () => {
  test('has one large attachment in memory once', async () => {
    const embed = new File([Buffer.alloc(16_000_000, 'a')], 'a.txt');
    const reply = await succeeded(gotenberg.post('pdfengines/embed', { ...filesOf(40), embeds: [embed] }));
    expect(await readZip(await bytesOf(reply))).toHaveLength(40);
    expect(await peakMegabytes(service)).toBeLessThan(900); // with a copy for each file, it would be 1,900
  }, 240_000);

  test('has bookmarks of its own for each file', async () => {
    const bookmarks = JSON.stringify({ '1.pdf': [{ title: 'x', page: 2 }] });
    const refused = await refusal(gotenberg.post('pdfengines/bookmarks/write', { ...filesOf(2), bookmarks }), 400);
    expect(refused).toContain("'bookmarks' leads to page 2 of part 0");
  });

  test('is answered before its connection would be closed', async () => {
    await using hasty = await start({ PLATEN_MAX_RENDER_TIMEOUT_MS: '6000', PLATEN_RENDER_TIMEOUT_MS: '6000' });
    const sender = new GotenbergClient(hasty.url, (await hasty.createKey('growth')).key);
    const stamps = { stampSource: ['text', 'text', 'text'], stampExpression: ['%p', '%P', '%p of %P'] };
    const stamp = (count: number) => sender.post('pdfengines/stamp', { ...filesOf(count), ...stamps });
    await eventually('a stamp', async () => (await stamp(1)).ok, 120_000); // a busy machine needs more than the limit for the first
    expect(await refusal(stamp(190), 503)).toMatch(/the files of a form have 6000 ms, in which only \d+ of 190 were done/);
  }, 240_000);
});

test('stages of large images are refused before their markup is made', async () => {
  const image = Buffer.concat([PIXEL, Buffer.alloc(20_000_000)]);
  const stage = { op: 'stamp-image', image: 'a.png', width: 10 };
  const refused = (count: number) => {
    const stages = JSON.stringify(Array(count).fill(stage));
    return refusal(gotenberg.post('pdfengines/pipe', { 'a.pdf': PAGE, 'a.png': image, stages }), 400);
  };
  expect(await refused(51)).toContain('must have at most 50 stages');
  expect(await refused(50)).toContain("'stages[0].image' is too large for width and height");
});
