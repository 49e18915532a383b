/** Pages are drawn in child processes. A hostile file may end its process, but the next page is drawn. */
import { deflateSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { PageDrawing } from '../../src/uploads/draw-pages.ts';

let drawing: PageDrawing | undefined;
afterEach(() => drawing?.close());

function open(limits: ConstructorParameters<typeof PageDrawing>[0] = {}): PageDrawing {
  drawing = new PageDrawing({ timeoutMs: 60_000, ...limits });
  return drawing;
}

interface Parts {
  content?: string;
  box?: string;
  extraObjects?: Array<string | Buffer>;
}

/** Returns a PDF of one page, with additional objects from number 5 on. */
function pdfOf({ content = '1 0 0 rg 0 0 100 100 re f', box = '0 0 100 100', extraObjects = [] }: Parts = {}): Uint8Array {
  const objects: Array<string | Buffer> = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...extraObjects,
  ];
  const chunks: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  const length = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  for (const [index, object] of objects.entries()) {
    offsets.push(length());
    chunks.push(Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n'));
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const at = length();
  chunks.push(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer << /Size ${size} /Root 1 0 R >>\n`));
  chunks.push(Buffer.from(`startxref\n${at}\n%%EOF`));
  return Buffer.concat(chunks);
}

/** Returns a small file with an image of this many pixels on each side. */
function bomb(side: number): Uint8Array {
  const packed = deflateSync(Buffer.alloc(side * side * 3));
  const head = `<< /Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`;
  return pdfOf({
    content: '100 0 0 100 0 0 cm /X Do',
    extraObjects: [Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')])],
  });
}

const form = (calls: string) =>
  `<< /Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /XObject << /X 5 0 R >> >> /Length ${calls.length} >>\nstream\n${calls}\nendstream`;

const draw = (by: PageDrawing, content: Uint8Array, width = 100) =>
  by.draw('ada', { content: async () => content, page: 1, width });
const isPng = (bytes: Uint8Array) => Buffer.from(bytes).subarray(1, 4).toString() === 'PNG';

test('draws a plain page', async () => {
  expect(isPng(await draw(open(), pdfOf()))).toBe(true);
});

test.each<[string, Uint8Array, string]>([
  ['a file that is not a PDF', Buffer.from('not a PDF'), 'pdf_unreadable'],
  ['an empty file', new Uint8Array(), 'pdf_unreadable'],
  ['half a PDF', pdfOf().subarray(0, 60), 'pdf_unreadable'],
])('rejects %s, and draws the next page', async (_name, content, code) => {
  const by = open();
  await expect(draw(by, content)).rejects.toMatchObject({ code });
  expect(isPng(await draw(by, pdfOf()))).toBe(true);
});

test('rejects a page that the file does not have', async () => {
  await expect(open().draw('ada', { content: async () => pdfOf(), page: 2, width: 100 })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test.each<[string, () => Uint8Array]>([
  ['an image of a hundred million pixels', () => bomb(10_000)],
  ['a form XObject that draws itself', () => pdfOf({ content: '/X Do', extraObjects: [form('/X Do /X Do')] })],
  ['a page without an area', () => pdfOf({ box: '0 0 0 0' })],
  ['a page of a million points', () => pdfOf({ box: '0 0 1000000 1000000' })],
  ['a page without width', () => pdfOf({ box: '0 0 0.001 100000' })],
  ['ten thousand levels of graphics states', () => pdfOf({ content: 'q '.repeat(10_000) })],
])('draws or rejects %s, and draws the next page', async (_name, hostile) => {
  const by = open();
  const answer = await draw(by, hostile()).then(isPng, (error: { code: string }) => error.code);
  expect([true, 'resource_limit', 'pdf_unreadable', 'invalid_request']).toContain(answer);
  expect(isPng(await draw(by, pdfOf()))).toBe(true);
});

test('reads a PDF only when a process is free, and not for a disconnected client', async () => {
  const by = open({ processes: 1 });
  const held = Promise.withResolvers<Uint8Array>();
  const isRead = Promise.withResolvers<void>();
  const slow = () => {
    isRead.resolve();
    return held.promise;
  };
  const first = by.draw('ada', { content: slow, page: 1, width: 100 });
  await isRead.promise;
  const read: string[] = [];
  const contentNamed = (name: string) => async () => {
    read.push(name);
    return pdfOf();
  };
  const leaves = new AbortController();
  const second = by.draw('bob', { content: contentNamed('second'), page: 1, width: 100 }, leaves.signal);
  const third = by.draw('cyd', { content: contentNamed('third'), page: 1, width: 100 });
  leaves.abort(new Error('the client has left'));
  await expect(second).rejects.toThrow('the client has left');
  expect(read).toEqual([]);
  held.resolve(pdfOf());
  expect([isPng(await first), isPng(await third)]).toEqual([true, true]);
  expect(read).toEqual(['third']);
});

test('frees the memory of files that are read but not drawn', async () => {
  const by = open();
  const large = pdfOf({ extraObjects: ['<< >>', Buffer.alloc(40 * 1_048_576, ' ')] });
  for (let n = 0; n < 20; n++)
    await expect(by.draw('ada', { content: async () => large, page: 2, width: 100 })).rejects.toMatchObject({
      code: 'not_found',
    });
});

test('ends the process of a page that takes too long', async () => {
  const by = open({ timeoutMs: 3_000 });
  const strokes = '0 0 m 100 100 l 3 3 97 0 50 50 c '.repeat(200_000);
  const content = `[1 1] 0 d 0.01 w ${`${strokes} S `.repeat(20)}`;
  await expect(draw(by, pdfOf({ content, box: '0 0 100 100' }), 4_000)).rejects.toMatchObject({ code: 'resource_limit' });
});
