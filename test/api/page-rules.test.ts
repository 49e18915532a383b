/** CSS for pages that Chromium does not have, and the service adds. */
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { millimetresOf, readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

async function print(html: string, options: object = {}) {
  return readPdfReply(await client.pdf({ html, options }));
}

describe('a page as high as its content', () => {
  const receipt = (lines: number, css: string) =>
    `<!doctype html><style>${css} body { margin: 0 } p { height: 10mm; margin: 0; break-before: page }</style>${'<p>line'.repeat(lines)}`;

  test.each([
    ['with margins', '@page { size: 80mm auto; margin: 5mm }', 80, 5],
    ['with one side', '@page { margin: 5mm 3mm; size: 3in auto !important } @page { margin-bottom: 5mm }', 76.2, 5],
    ['for print only', '@media print { @page { size: 58mm auto; margin: 0 } }', 58, 0],
  ])('%s', async (_, css, width, margin) => {
    for (const lines of [3, 60]) {
      const pdf = await print(receipt(lines, css));
      const [[printedWidth, height] = [0, 0], ...more] = millimetresOf(pdf);
      expect([printedWidth, more]).toEqual([width, []]);
      expect(height).toBeGreaterThanOrEqual(lines * 10 + 2 * margin);
      expect(height).toBeLessThan(lines * 10 + 2 * margin + 1);
      expect(pdf.pages[0]?.match(/line/g)).toHaveLength(lines);
    }
  });

  test.each([
    ['a later size', '@page { size: 80mm auto } @page { size: A5 }', {}, [148, 210]],
    ['a format', '@page { size: 80mm auto }', { format: 'A6' }, [105, 148]],
    ['a rule for some pages', '@page :left { size: 80mm auto }', {}, [210, 297]],
  ])('gives way to %s', async (_, css, options, size) => {
    const sizes = millimetresOf(await print(receipt(2, css), options));
    expect(sizes.map((each) => each.map(Math.round))).toEqual([size, size]);
  });

  test('has the bytes that the option gives', async () => {
    const own = await client.pdf({ html: receipt(3, '@page { size: 80mm auto; margin: 5mm }') });
    const chosen = await client.pdf({ html: receipt(3, ''), options: { width: '80mm', height: 'auto', margin: '5mm' } });
    expect(await own.bytes()).toEqual(await chosen.bytes());
  });
});
