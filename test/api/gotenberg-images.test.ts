/** The routes of Gotenberg that draw pages as images, and those that have an older name. */
import { inflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { decodeJpeg } from '../../src/pdf/images/jpeg-codec.ts';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type Fields, GotenbergClient, refusal } from '../support/gotenberg-client.ts';
import { readFinished } from '../support/read-finished.ts';
import { readZip } from '../support/read-zip.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually, startService } from '../support/service.ts';
import { smallPdf } from '../support/small-pdf.ts';

const receiver = await Receiver.start().then(closeAfterAll);
const service = await startService({ PLATEN_GOTENBERG_ROUTES: 'on', PLATEN_OUTBOUND_ALLOW: receiver.address }).then(
  closeAfterAll,
);
const { key } = await service.createKey('growth');
const ada = new Client(service.url, key);
const gotenberg = new GotenbergClient(service.url, key);

/** Three pages of 144 by 72 points, whose left halves are red, green and blue. */
const COLOURS = ['1 0 0', '0 1 0', '0 0 1'];
const THREE = smallPdf(COLOURS.map((colour) => ({ content: `${colour} rg 0 0 72 72 re f`, size: [144, 72] })));
const ONE = smallPdf([{ content: '1 0 0 rg 0 0 72 72 re f', size: [144, 72] }]);

const draw = (fields: Fields, headers?: Record<string, string>) => gotenberg.post('pdfengines/convert/image', fields, headers);
const render = (fields: Fields) => gotenberg.post('pdf/render', fields);

interface Drawn {
  type: string | null;
  disposition: string | null;
  content: Buffer;
}

async function drawn(reply: Promise<Response>): Promise<Drawn> {
  const { headers } = await succeeded(reply);
  return {
    type: headers.get('content-type'),
    disposition: headers.get('content-disposition'),
    content: await bytesOf(await reply),
  };
}

const archive = async (reply: Promise<Response>) => readZip((await drawn(reply)).content);
/** Colour of the pixel in the middle of the left half. */
function leftColour(png: Buffer): number[] {
  const { width, height, data } = PNG.sync.read(png);
  const at = 4 * (Math.floor(height / 2) * width + Math.floor(width / 4));
  return [...data.subarray(at, at + 3)];
}

describe('convert/image', () => {
  test('draws a page as a PNG of 150 dpi, and charges nothing', async () => {
    const { used } = (await ada.usage()).documents;
    const { type, disposition, content } = await drawn(draw({ 'a.pdf': ONE }));
    expect([type, disposition]).toEqual(['image/png', 'attachment; filename=a-1.png']);
    const { width, height } = PNG.sync.read(content);
    expect([width, height]).toEqual([300, 150]);
    expect(leftColour(content)).toEqual([255, 0, 0]);
    expect((await ada.usage()).documents.used).toBe(used);
  });

  test('puts several images into an archive, with numbers from 1', async () => {
    const all = await archive(draw({ 'a.pdf': THREE }));
    expect([...all.keys()]).toEqual(['a-1.png', 'a-2.png', 'a-3.png']);
    expect([...all.values()].map(leftColour)).toEqual([
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ]);
    const some = await archive(draw({ 'a.pdf': THREE, firstPage: '2', lastPage: '3' }));
    expect([...some.keys()]).toEqual(['a-1.png', 'a-2.png']);
    expect([...some.values()].map(leftColour)).toEqual([
      [0, 255, 0],
      [0, 0, 255],
    ]);
    expect([...(await archive(draw({ 'b.pdf': ONE, 'a.pdf': ONE, lastPage: '1' }))).keys()]).toEqual(['a-1.png', 'b-1.png']);
  });

  test('draws a JPEG of the chosen resolution and quality', async () => {
    const { type, disposition, content } = await drawn(draw({ 'a.pdf': ONE, format: 'jpeg', dpi: '72', quality: '90' }));
    expect([type, disposition]).toEqual(['image/jpeg', 'attachment; filename=a-1.jpeg']);
    const { width, height, data } = await decodeJpeg(content, 3);
    expect([width, height]).toEqual([144, 72]);
    const [red = 0, green = 255, blue = 255] = data.subarray(3 * (36 * 144 + 36));
    expect(red > 240 && green < 15 && blue < 15).toBe(true);
    const worse = await drawn(draw({ 'a.pdf': ONE, format: 'jpeg', dpi: '72', quality: '10' }));
    expect(worse.content.length).toBeLessThan(content.length);
  });

  test('draws a TIFF with the pixels of the PNG', async () => {
    const { type, content } = await drawn(draw({ 'a.pdf': ONE, format: 'tiff' }));
    expect(type).toBe('image/tiff');
    const directory = content.readUInt32LE(4);
    const tags = new Map<number, number>();
    for (let entry = 0; entry < content.readUInt16LE(directory); entry++) {
      const at = directory + 2 + 12 * entry;
      tags.set(content.readUInt16LE(at), content.readUInt32LE(at + 8));
    }
    const [from, bytes, resolution] = [tags.get(273) ?? 0, tags.get(279) ?? 0, tags.get(282) ?? 0];
    const { width, height, data } = PNG.sync.read((await drawn(draw({ 'a.pdf': ONE }))).content);
    expect([content.toString('latin1', 0, 4), tags.get(256), tags.get(257)]).toEqual(['II*\0', width, height]);
    expect([tags.get(259), tags.get(262), tags.get(277), content.readUInt32LE(resolution)]).toEqual([8, 2, 3, 150]);
    const pixels = inflateSync(content.subarray(from, from + bytes));
    expect(pixels).toEqual(Buffer.from(data.filter((_, index) => index % 4 < 3)));
  });

  test('names the result as it is asked to', async () => {
    const named = (fields: Fields) => drawn(draw(fields, { 'gotenberg-output-filename': 'out' }));
    expect((await named({ 'a.pdf': ONE })).disposition).toBe('attachment; filename=out.png');
    expect((await named({ 'a.pdf': THREE })).disposition).toBe('attachment; filename=out.zip');
  });

  test('sends its result to a webhook', async () => {
    const headers = {
      'gotenberg-webhook-url': `http://${receiver.address}/image`,
      'gotenberg-webhook-error-url': `http://${receiver.address}/error`,
    };
    expect((await draw({ 'a.pdf': ONE }, headers)).status).toBe(204);
    await eventually('the image has come', () => receiver.received.some(({ path }) => path === 'POST /image'));
    const sent = receiver.received.find(({ path }) => path === 'POST /image');
    expect([sent?.headers['content-type'], sent?.headers['content-disposition']]).toEqual([
      'image/png',
      'attachment; filename=a-1.png',
    ]);
  });

  test.each<[what: string, fields: Fields, text: string]>([
    ['no PDF', { format: 'png' }, 'no form file found for extensions: [.pdf]'],
    [
      'another format',
      { 'a.pdf': ONE, format: 'foo' },
      "form field 'format' is invalid (got 'foo', resulting to wrong value, expected either 'png', 'jpeg' or 'tiff')",
    ],
    [
      'a resolution that is no number',
      { 'a.pdf': ONE, dpi: 'x' },
      `form field 'dpi' is invalid (got 'x', resulting to strconv.Atoi: parsing "x": invalid syntax)`,
    ],
    ['a negative resolution', { 'a.pdf': ONE, dpi: '-1' }, "form field 'dpi' is invalid: must be a whole number from 1 to 2400"],
    ['a quality beyond 100', { 'a.pdf': ONE, quality: '101' }, "form field 'quality' is invalid: must be a whole number"],
    [
      'images with too many pixels',
      { 'a.pdf': smallPdf([{ content: '', size: [2_880, 2_880] }]), dpi: '600' },
      "form field 'dpi' is invalid: must be at most 102 for page 1, because an image may have at most 16,777,216 pixels",
    ],
    [
      'a page that the PDF lacks',
      { 'a.pdf': THREE, firstPage: '2', lastPage: '4' },
      "form field 'lastPage' is invalid: names page 4, but the PDF has 3 pages",
    ],
    [
      'a first page that the PDF lacks',
      { 'a.pdf': ONE, firstPage: '2' },
      "form field 'firstPage' is invalid: names page 2, but the PDF has 1",
    ],
    [
      'a last page before the first',
      { 'a.pdf': THREE, firstPage: '3', lastPage: '2' },
      "form field 'lastPage' is invalid: must be at least 3, which is firstPage, and not 2",
    ],
    ['a damaged file', { 'a.pdf': 'x', 'b.pdf': ONE }, "form file 'a.pdf' is damaged, or not a PDF"],
  ])('refuses %s', async (_, fields, text) => {
    expect(await refusal(draw(fields), 400)).toContain(`Invalid form data: ${text}`);
  });

  test('refuses a file with a password', async () => {
    const secret = await ada.rendered({ html: 'secret', options: { password: 'x' } });
    expect(await refusal(draw({ 'a.pdf': secret }), 400)).toBe("Invalid form data: form file 'a.pdf' is protected by a password");
  });
});

describe('render', () => {
  test('draws the chosen pages, named by their numbers', async () => {
    const { disposition, content } = await drawn(render({ 'a.pdf': THREE, pages: '2', dpi: '72' }));
    expect(disposition).toBe('attachment; filename=a_2.png');
    expect(PNG.sync.read(content).width).toBe(144);
    expect([...(await archive(render({ 'a.pdf': THREE, pages: '1,3-end', format: 'jpeg' }))).keys()]).toEqual([
      'a_1.jpeg',
      'a_3.jpeg',
    ]);
  });

  test.each<[what: string, fields: Fields, text: string]>([
    [
      'a quality without JPEG',
      { 'a.pdf': ONE, quality: '50' },
      "form field 'quality' is invalid: cannot be combined with the format png",
    ],
    ['TIFF', { 'a.pdf': ONE, format: 'tiff' }, "form field 'format' is invalid (got 'tiff'"],
    ['pages that are none', { 'a.pdf': ONE, pages: 'x' }, "form field 'pages' is invalid: must have pages such as"],
    ['no pages', { 'a.pdf': ONE, pages: '!1' }, "form field 'pages' leaves no page: the PDF has 1 page"],
  ])('refuses %s', async (_, fields, text) => {
    expect(await refusal(render(fields), 400)).toContain(`Invalid form data: ${text}`);
  });
});

describe('older names', () => {
  const note = [new File(['note'], 'note.txt')];

  test('attachments/add is embed', async () => {
    const added = await drawn(gotenberg.post('pdfengines/attachments/add', { 'a.pdf': ONE, attachments: note }));
    expect((await readFinished(added.content)).attachments.map(({ name }) => name)).toEqual(['note.txt']);
    expect(await refusal(gotenberg.post('pdfengines/attachments/add', { 'a.pdf': ONE }), 400)).toBe(
      "Invalid form data: form field 'attachments' is required",
    );
  });

  test('add-password is encrypt with a password to open', async () => {
    const { content } = await drawn(gotenberg.post('pdfengines/add-password', { 'a.pdf': ONE, userPassword: 'x' }));
    await expect(readFinished(content)).rejects.toThrow('No password given');
    expect((await readFinished(content, 'x')).texts).toHaveLength(1);
    expect(await refusal(gotenberg.post('pdfengines/add-password', { 'a.pdf': ONE, ownerPassword: 'x' }), 400)).toBe(
      "Invalid form data: form field 'userPassword' is required",
    );
  });
});
