/** The effects of each finishing step, checked with pdf.js. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../../src/errors.ts';
import { type FinishSettings, needsFinishing, type PdfPermission, PERMISSIONS } from '../../src/pdf/finish-settings.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DOCUMENT, finish, openFinisher, settings, TABLE, TAGGED, watermark } from '../support/finishing.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';

const printer = await RawPrinter.start().then(closeAfterAll);
const finisher = closeAfterAll(openFinisher());
const plain = await printer.print(DOCUMENT);
const tagged = await printer.print(DOCUMENT, TAGGED);
const stamp = await printer.stamp('<p style="font-size: 60px">STAMP');

const METADATA = {
  title: 'Grüße & <b>草</b> 𝒳',
  author: 'Ada "the first" Lovelace',
  subject: "it's\r\ntwo lines",
  keywords: ['one', 'zwei & drei', '𝒴'],
  creator: 'Ledger',
  creationDate: '2024-02-29T23:59:58+05:30',
  modDate: '2024-03-01T00:00:00.5Z',
};
const attachmentFiles = () => [
  {
    name: 'Żółw 草 (1).xml',
    type: 'application/xml',
    description: 'Grüße: <data/>',
    content: Buffer.from('<a>ä</a>'.repeat(500)),
  },
  { name: 'random.bin', type: undefined, description: undefined, content: randomBytes(70_000) },
  { name: 'empty', type: 'text/plain', description: 'nothing', content: Buffer.alloc(0) },
];

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

describe('metadata', () => {
  test('is the same in the information dictionary and in XMP, for all characters', async () => {
    const { info, xmp, showsTitle } = await readFinished(await finish(finisher, tagged, { metadata: METADATA }));
    expect(info).toMatchObject({
      Title: METADATA.title,
      Author: METADATA.author,
      Subject: METADATA.subject,
      Keywords: 'one, zwei & drei, 𝒴',
      Creator: 'Ledger',
      Producer: 'Platen',
      CreationDate: "D:20240229235958+05'30'",
      ModDate: "D:20240301000000+00'00'",
    });
    expect(showsTitle).toBe(true);
    const asXml = (text: string) => text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
    const { title, author, subject, creationDate, modDate } = METADATA;
    const expected = [title, author, subject, 'one', 'zwei & drei', '𝒴', 'Ledger', 'Platen', creationDate, modDate];
    for (const text of expected) expect(xmp).toContain(`>${asXml(text)}</`);
  });

  test('has the title of the page, Platen and no dates by default', async () => {
    const { info, xmp } = await readFinished(await finish(finisher, plain, { compress: true }));
    expect(info).toMatchObject({ Title: 'Quarterly “report” №1', Creator: 'Platen', Producer: 'Platen' });
    for (const entry of ['Author', 'CreationDate', 'ModDate']) expect(info).not.toHaveProperty(entry);
    expect(xmp).toContain('Quarterly “report” №1</rdf:li>');
    expect(xmp).not.toContain('Date');
  });

  test('replaces characters that XML does not allow in both', async () => {
    const { info, xmp } = await readFinished(await finish(finisher, plain, { metadata: { title: 'a\u0001b\ud800c' } }));
    expect(info.Title).toBe('a\ufffdb\ufffdc');
    expect(xmp).toContain('>a\ufffdb\ufffdc<');
  });
});

describe('attachments', () => {
  test.each<[string, Partial<FinishSettings>]>([
    ['plain', {}],
    ['packed', { compress: true }],
    ['encrypted', { password: { user: 'open', owner: undefined, permissions: [] } }],
  ])('are returned byte for byte (%s)', async (_name, changes) => {
    const attachments = attachmentFiles();
    const expected = attachments.map(({ name, description, content }) => ({
      name,
      description: description ?? '',
      content: Buffer.from(content),
    }));
    const found = (await readFinished(await finish(finisher, plain, { ...changes, attachments }), 'open')).attachments;
    expect(found.map(({ name }) => name).sort()).toEqual(expected.map(({ name }) => name).sort());
    for (const file of expected) {
      const same = found.find(({ name }) => name === file.name);
      expect(same?.description).toBe(file.description);
      expect(same?.content.equals(file.content), file.name).toBe(true);
    }
  });
});

describe('watermark', () => {
  test('is drawn on the selected pages without changing them otherwise', async () => {
    const pages = [{ from: 2, to: 9 }];
    for (const layer of ['over', 'under'] as const) {
      const { texts } = await readFinished(await finish(finisher, plain, { watermark: watermark(stamp, { pages, layer }) }));
      expect(texts[0]).toContain('Hello bold');
      expect(texts[0]).not.toContain('STAMP');
      expect(texts[1]).toMatch(layer === 'over' ? /Second.*STAMP/ : /STAMP.*Second/);
    }
  });

  test('keeps tags, outline and links', async () => {
    const [before, after] = [tagged, await finish(finisher, tagged, { compress: true, watermark: watermark(stamp) })];
    const [expected, actual] = [await readPdf(before), await readPdf(after)];
    expect(actual.tagged).toBe(true);
    expect(actual.outline).toEqual(expected.outline);
    expect(actual.sizes).toEqual(expected.sizes);
    expect(actual.images).toBe(expected.images);
  });
});

describe('compression', () => {
  test('shows the same pages in far fewer bytes', async () => {
    const table = await printer.print(TABLE, TAGGED);
    const packed = await finish(finisher, table, { compress: true });
    expect(packed.length).toBeLessThan(table.length / 4);
    const [before, after] = [await readPdf(table), await readPdf(packed)];
    expect({ ...after, title: '' }).toEqual({ ...before, title: '' });
  });
});

describe('passwords', () => {
  const protect = (user: string, owner?: string, permissions?: PdfPermission[]) =>
    finish(finisher, tagged, { password: { user, owner, permissions } });

  test.each(['secret', 'pässwörd 草', 'x'.repeat(127)])('opens only with the password %s', async (password) => {
    const pdf = await protect(password);
    expect((await readFinished(pdf, password)).texts[0]).toContain('Hello bold');
    for (const wrong of [undefined, 'wrong', password.slice(1)])
      await expect(readFinished(pdf, wrong)).rejects.toThrow(/password/i);
    expect(pdf.includes('Quarterly')).toBe(false);
  });

  test('opens with either of two passwords; an empty user password lets everybody open it', async () => {
    const both = await protect('reader', 'writer');
    for (const password of ['reader', 'writer']) expect((await readFinished(both, password)).texts).toHaveLength(2);
    expect((await readFinished(await protect('', 'writer'))).texts).toHaveLength(2);
  });

  test.each<[PdfPermission, number[]]>([
    ['print', [0x04, 0x800]],
    ['print_low', [0x04]],
    ['copy', [0x10]],
    ['modify', [0x08]],
    ['annotate', [0x20]],
    ['fill_forms', [0x100]],
    ['assemble', [0x400]],
    ['accessibility', [0x200]],
  ])('allows only %s', async (permission, flags) => {
    expect((await readFinished(await protect('', undefined, [permission]))).permissions).toEqual(flags);
  });

  test('allows everything without a list, and nothing with an empty one', async () => {
    expect((await readFinished(await protect('', 'x'))).permissions).toHaveLength(PERMISSIONS.length);
    expect((await readFinished(await protect('', 'x', []))).permissions).toEqual([]);
  });

  test('encrypts attachments, metadata and watermark', async () => {
    const attachments = attachmentFiles();
    const all = { metadata: METADATA, attachments, watermark: watermark(stamp), compress: true };
    const password = { user: 'open', owner: 'own', permissions: ['print'] as PdfPermission[] };
    const {
      info,
      xmp,
      texts,
      attachments: found,
    } = await readFinished(await finish(finisher, tagged, { ...all, password }), 'open');
    expect(info.Title).toBe(METADATA.title);
    expect(xmp).toContain('Ledger');
    expect(texts[0]).toMatch(/Hello bold.*STAMP/);
    expect(found).toHaveLength(3);
  });
});

describe('repeatability', () => {
  const allSettings = (): Partial<FinishSettings> => ({
    metadata: METADATA,
    compress: true,
    attachments: [{ name: 'a', type: undefined, description: undefined, content: Buffer.from('a') }],
    watermark: watermark(stamp),
    password: { user: 'open', owner: 'own', permissions: ['copy'] },
  });

  test('produces the same bytes for the same input, settings and secret at different times', async () => {
    const laterPrint = Buffer.from(tagged.toString('latin1').replace(/\(D:\d{14}/g, '(D:20010203040506'), 'latin1');
    expect(laterPrint.equals(tagged)).toBe(false);
    const [first, second] = [await finish(finisher, tagged, allSettings()), await finish(finisher, laterPrint, allSettings())];
    expect(second.equals(first)).toBe(true);
  });

  test('produces other keys for another secret or password', async () => {
    const other = openFinisher({ secret: Buffer.alloc(32, 8) });
    const fileId = (pdf: Buffer) => /\/ID \[<(\w+)>/.exec(pdf.toString('latin1'))?.[1];
    const first = fileId(await finish(finisher, tagged, allSettings()));
    const changed = { ...allSettings(), password: { user: 'opens', owner: 'own', permissions: undefined } };
    expect(first).toMatch(/^\w{32}$/);
    expect(fileId(await finish(other, tagged, allSettings()))).not.toBe(first);
    expect(fileId(await finish(finisher, tagged, changed))).not.toBe(first);
    await other.close();
  });
});

test('needs finishing if any finishing option is requested', () => {
  expect(needsFinishing(settings())).toBe(false);
  expect(needsFinishing(settings({ metadata: { title: 'x' } }))).toBe(true);
  expect(needsFinishing(settings({ compress: true }))).toBe(true);
  expect(needsFinishing(settings({ attachments: attachmentFiles() }))).toBe(true);
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
  await expect(finisher.merge(task(20_000), signal)).rejects.toMatchObject({
    code: 'resource_limit',
    members: { limit: 20_000 },
  });
});
