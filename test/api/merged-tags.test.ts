/** Tags of merged batches: each part keeps its own, and the file claims what all documents claim. */
import { PDF, PdfArray, PdfDict, PdfName, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import { expect, test } from 'vitest';
import { bytesOf, Client } from '../support/client.ts';
import { readFinished } from '../support/read-finished.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const BOTH = { conformance: ['PDF/A-3a', 'PDF/UA-1'] };
const page = (language: string, title: string) =>
  `<!doctype html><html lang="${language}"><title>${title}</title><h1>${title}</h1><table><tr><th scope="col" id="h">Year<th scope="col">Sum<tr><td headers="h">2026<td>7</table>`;

async function merge(items: object[]): Promise<Buffer> {
  const { batch_id, succeeded } = await client.batch({ items });
  expect(succeeded).toBe(items.length);
  return bytesOf(await client.get(`/v1/batches/${batch_id}.pdf`));
}

/** Reads dictionaries of a PDF by the names of their entries. */
class Reader {
  readonly #pdf: PDF;
  readonly catalog: PdfDict;

  static async open(bytes: Buffer): Promise<Reader> {
    return new Reader(await PDF.load(bytes));
  }

  constructor(pdf: PDF) {
    this.#pdf = pdf;
    this.catalog = pdf.context.catalog.getDict();
  }

  get(dict: PdfObject | undefined, ...path: string[]): PdfObject | undefined {
    return path.reduce<PdfObject | undefined>(
      (value, name) => this.resolve(value instanceof PdfDict ? value.get(name) : undefined),
      this.resolve(dict),
    );
  }

  resolve(value: PdfObject | undefined): PdfObject | undefined {
    return value instanceof PdfRef ? (this.#pdf.getObject(value) ?? undefined) : value;
  }

  kids(element: PdfObject | undefined): PdfDict[] {
    const kids = this.get(element, 'K');
    const list = kids instanceof PdfArray ? kids.toArray() : [kids];
    return list.map((kid) => this.resolve(kid)).filter((kid) => kid instanceof PdfDict && kid.has('S')) as PdfDict[];
  }

  /** Returns the types of an element and its descendants, nested in parentheses. */
  outline(element: PdfObject | undefined): string {
    const kids = this.kids(element).map((kid) => this.outline(kid));
    return `${text(this.get(element, 'S'))}${kids.length ? `(${kids.join(' ')})` : ''}`;
  }

  all(element: PdfObject | undefined): PdfDict[] {
    return this.kids(element).flatMap((kid) => [kid, ...this.all(kid)]);
  }
}

function text(value: PdfObject | undefined): string {
  return value instanceof PdfString ? value.asString() : value instanceof PdfName ? value.value : '';
}

test('wraps each document in a Part, with its language if it differs', async () => {
  const items = ['en', 'de', 'en'].map((language, index) => ({ html: page(language, `Title ${index}`), options: BOTH }));
  const reader = await Reader.open(await merge(items));
  const [document] = reader.kids(reader.get(reader.catalog, 'StructTreeRoot'));
  const part = 'Part(H1(NonStruct) Table(TR(TH(NonStruct) TH(NonStruct)) TR(TD(NonStruct) TD(NonStruct))))';
  expect(reader.outline(document).replace(/\((?:NonStruct|Span|P)\)/g, '')).toBe(
    `Document(${Array(3).fill(part).join(' ')})`.replaceAll('(NonStruct)', ''),
  );
  expect(text(reader.catalog.get('Lang'))).toBe('en');
  expect(reader.kids(document).map((each) => text(each.get('Lang')))).toEqual(['en', 'de', 'en']);
});

test('keeps ids distinct, so that headers refer to cells of their own part', async () => {
  const reader = await Reader.open(await merge([1, 2, 1].map((n) => ({ html: page('en', `Title ${n}`), options: BOTH }))));
  const root = reader.get(reader.catalog, 'StructTreeRoot');
  const elements = reader.all(root);
  const ids = elements.map((element) => text(element.get('ID'))).filter(Boolean);
  expect(new Set(ids).size).toBe(6);
  const tree = reader.get(root, 'IDTree', 'Names');
  expect(tree instanceof PdfArray ? tree.toArray().flatMap((each) => text(each) || []) : []).toEqual(ids.toSorted());
  const headers = elements.flatMap((element) => {
    const attributes = reader.get(element, 'A');
    return (attributes instanceof PdfArray ? attributes.toArray() : []).flatMap((each) => {
      const list = reader.get(each, 'Headers');
      return list instanceof PdfArray ? list.toArray().map(text) : [];
    });
  });
  expect(headers).toHaveLength(6);
  for (const id of headers) expect(ids).toContain(id);
  expect(new Set(headers.map((id) => id.split('.')[0]))).toEqual(new Set(['p1', 'p2', 'p3']));
});

test('maps the content of each page to the elements of its part in the parent tree', async () => {
  const reader = await Reader.open(await merge([1, 2].map((n) => ({ html: page('en', `Title ${n}`), options: BOTH }))));
  const root = reader.get(reader.catalog, 'StructTreeRoot');
  const [document] = reader.kids(root);
  const parts = reader.kids(document).map((part) => new Set(reader.all(part)));
  const leaves = reader.get(root, 'ParentTree', 'Kids') as PdfArray;
  const entries = leaves.toArray().flatMap((leaf) => (reader.get(leaf, 'Nums') as PdfArray).toArray());
  const lists = entries.map((entry) => reader.resolve(entry)).filter((entry) => entry instanceof PdfArray);
  expect(lists).toHaveLength(2);
  for (const [index, list] of lists.entries())
    for (const element of list.toArray()) expect(parts[index]?.has(reader.resolve(element) as PdfDict)).toBe(true);
});

test('claims what all documents claim, with their titles', async () => {
  const of = (conformance: unknown, title: string) => ({ html: page('en', title), options: { conformance } });
  const all = await readFinished(await merge([of(BOTH.conformance, 'One'), of(BOTH.conformance, 'Two')]));
  expect(all.xmp).toContain('<pdfaid:conformance>A<');
  expect(all.xmp).toContain('<pdfuaid:part>1<');
  expect([all.info.Title, all.showsTitle]).toEqual(['One; Two', true]);
  const mixed = await readFinished(await merge([of('PDF/A-2b', 'One'), of(BOTH.conformance, 'Two')]));
  expect(mixed.xmp).toContain('<pdfaid:part>3<');
  expect(mixed.xmp).toContain('<pdfaid:conformance>B<');
  expect(mixed.xmp).not.toContain('pdfuaid:part');
  const newer = await readFinished(await merge([of('PDF/UA-2', 'One'), of(['PDF/A-4', 'PDF/UA-2'], 'Two')]));
  expect(newer.xmp).toContain('<pdfuaid:part>2<');
  expect([newer.info.PDFFormatVersion, newer.xmp.includes('pdfaid:part>4')]).toEqual(['2.0', false]);
  const ofBothParts = await readFinished(await merge([of('PDF/UA-1', 'One'), of('PDF/UA-2', 'Two')]));
  expect([ofBothParts.info.PDFFormatVersion, ofBothParts.xmp]).toEqual(['1.7', '']);
});

test('claims nothing if one document claims nothing, even if its text contains a claim', async () => {
  const claim = '<pdfaid:part>3</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance>';
  const plain = { html: page('en', 'Plain'), options: { metadata: { title: claim } } };
  const { xmp, info, texts } = await readFinished(await merge([{ html: page('en', 'One'), options: BOTH }, plain]));
  expect([xmp, info.Title]).toEqual(['', undefined]);
  expect(texts).toHaveLength(2);
});
