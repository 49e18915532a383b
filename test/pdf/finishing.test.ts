/** Finishing steps: what the API does not show, because it takes other documents, secrets or limits. */
import { expect, test } from 'vitest';
import type { ServiceError } from '../../src/errors.ts';
import { needsFinishing } from '../../src/pdf/finish-settings.ts';
import type { Finisher } from '../../src/pdf/finisher.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DOCUMENT, finish, openFinisher, settings, TAGGED, watermark } from '../support/finishing.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';

const printer = await RawPrinter.start().then(closeAfterAll);
const finisher = closeAfterAll(openFinisher());
const other = closeAfterAll(openFinisher({ secret: Buffer.alloc(32, 8) }));
const plain = await printer.print(DOCUMENT);
const tagged = await printer.print(DOCUMENT, TAGGED);
const stamp = await printer.stamp('<p style="font-size: 60px">STAMP');

test('checks the appearance of a signature like the pages', async () => {
  const refusalOf = async (html: string) => {
    const appearance = [await printer.stamp(html)];
    const visible = { place: { page: 1, x: 0, y: 0, width: 300, height: 300 }, appearance };
    const changes = {
      metadata: { title: 'T' },
      conformance: { archive: { part: 3, level: 'U' as const }, accessible: undefined },
      structure: STRUCTURE,
      signature: {
        ...{ description: '', name: '', reason: undefined, location: undefined, contact: undefined, signedAt: 0 },
        ...{ reservedBytes: 100, digest: 'sha256' as const, visible },
      },
    };
    return finish(finisher, plain, changes).catch((error: ServiceError) => error.message);
  };
  expect(await refusalOf('<p>readable')).toBeInstanceOf(Buffer);
  expect(await refusalOf('<p>\u{10fffd}')).toMatch(/^glyph_missing/);
});

test('keeps unreadable tags unchanged, but refuses to claim accessibility with them', async () => {
  const root = /\/StructTreeRoot (\d+) 0 R/.exec(tagged.toString('latin1'))?.[1];
  const damaged = Buffer.from(
    tagged.toString('latin1').replace(new RegExp(`(\n${root} 0 obj\n<<[^]*?\n)/K `), '$1/X '),
    'latin1',
  );
  expect(damaged.equals(tagged)).toBe(false);
  const changes = { repairsTags: true, structure: STRUCTURE };
  const [repaired, unrepaired, untouched] = [
    await finish(finisher, tagged, changes),
    await finish(finisher, damaged, changes),
    await finish(finisher, damaged, { compress: false, metadata: {} }),
  ];
  expect(repaired.toString('latin1')).toMatch(/\/StructParent \d+\/Contents </);
  expect(unrepaired.equals(untouched)).toBe(true);
  const archived = await finish(finisher, damaged, {
    ...changes,
    conformance: { archive: { part: 3, level: 'B' }, accessible: undefined },
  });
  expect((await readFinished(archived)).xmp).toContain('pdfaid:part>3');
  const claims = { archive: undefined, accessible: 1 as const };
  await expect(finish(finisher, tagged, { repairsTags: true, conformance: claims })).rejects.toMatchObject({
    code: 'print_failed',
  });
  await expect(finish(finisher, damaged, { ...changes, conformance: claims })).rejects.toMatchObject({ code: 'print_failed' });
});

const STRUCTURE = {
  ...{
    language: 'en',
    bodyLanguage: '',
    text: '',
    title: 'T',
    invalidLanguages: [],
    images: [],
    headings: [],
    links: [],
    tables: [],
    fields: [],
  },
  ...{ embedded: [], rasterized: [], isWhole: true, missingGlyphs: [] },
};

test('replaces characters that XML does not allow in the information dictionary and in XMP', async () => {
  const { info, xmp } = await readFinished(await finish(finisher, plain, { metadata: { title: 'a\u0001b\ud800c' } }));
  expect(info.Title).toBe('a\ufffdb\ufffdc');
  expect(xmp).toContain('>a\ufffdb\ufffdc<');
});

test('keeps tags, outline and images under a watermark', async () => {
  const [before, after] = [tagged, await finish(finisher, tagged, { compress: true, watermark: watermark(stamp) })];
  const [expected, actual] = [await readPdf(before), await readPdf(after)];
  expect(actual.tagged).toBe(true);
  expect(actual.outline).toEqual(expected.outline);
  expect(actual.sizes).toEqual(expected.sizes);
  expect(actual.images).toBe(expected.images);
});

test('produces other keys for another secret or password', async () => {
  const protect = async (by: Finisher, user: string) => {
    const pdf = await finish(by, tagged, { password: { user, owner: 'own', permissions: ['copy'] } });
    return /\/ID \[<(\w+)>/.exec(pdf.toString('latin1'))?.[1];
  };
  const first = await protect(finisher, 'open');
  expect(first).toMatch(/^\w{32}$/);
  expect(await protect(other, 'open')).not.toBe(first);
  expect(await protect(finisher, 'opens')).not.toBe(first);
});

test('needs finishing if any option is requested that changes more than the size', () => {
  expect(needsFinishing(settings())).toBe(false);
  expect(needsFinishing(settings({ compress: true }))).toBe(false);
  expect(needsFinishing(settings({ metadata: { title: 'x' } }))).toBe(true);
  expect(
    needsFinishing(
      settings({ attachments: [{ name: 'a', type: undefined, description: undefined, content: Buffer.from('a') }] }),
    ),
  ).toBe(true);
  expect(needsFinishing(settings({ watermark: watermark(Buffer.alloc(0)) }))).toBe(true);
  expect(needsFinishing(settings({ password: { user: '', owner: undefined, permissions: undefined } }))).toBe(true);
});

test('stops merging when the result exceeds its size limit', async () => {
  const task = (maxBytes: number) => ({
    documents: [Uint8Array.from(tagged)],
    parts: Array.from({ length: 20 }, (_, index) => ({ document: 0, title: `${index}` })),
    maxBytes,
  });
  const { signal } = new AbortController();
  expect(await finisher.merge(task(10_000_000), signal)).toBeInstanceOf(Array);
  await expect(finisher.merge(task(5_000), signal)).rejects.toMatchObject({
    code: 'resource_limit',
    members: { limit: 5_000 },
  });
});
