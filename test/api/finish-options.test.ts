/** Options that change a PDF after printing, checked with pdf.js. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PermissionFlag } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { type Finished, readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';

const service = await startService({ PLATEN_LOG_LEVEL: 'debug' }).then(closeAfterAll);
const client = new Client(service.url, (await service.createKey('growth')).key);

const THREE_PAGES = `<!doctype html><html lang="de"><title>Bericht</title><h1>eins</h1>
<h1 style="break-before: page">zwei</h1><h1 style="break-before: page">drei</h1>`;
const CSV = Buffer.from([0, 1, 2, 255, 254, 13, 10, 44]);

async function render(options: object, html = THREE_PAGES): Promise<Buffer> {
  return client.rendered({ html, options });
}

const finished = async (options: object, password?: string): Promise<Finished> => readFinished(await render(options), password);

describe('metadata', () => {
  test('writes every entry to the information dictionary and to XMP', async () => {
    const metadata = {
      title: 'Jahresbericht „2026“ & <b>漢字</b> 𝒳',
      author: 'Ada "the first" Lovelace',
      subject: "it's\r\ntwo lines",
      keywords: ['eins', 'zwei & drei', '𝒴'],
      creator: 'Buchhaltung',
      creationDate: '2024-02-29T23:59:58+05:30',
      modDate: '2024-03-01T00:00:00.5Z',
    };
    const { info, xmp, showsTitle } = await finished({ metadata });
    expect(info).toMatchObject({
      Title: metadata.title,
      Author: metadata.author,
      Subject: metadata.subject,
      Keywords: 'eins, zwei & drei, 𝒴',
      Creator: metadata.creator,
      Producer: 'Platen',
      CreationDate: "D:20240229235958+05'30'",
      ModDate: "D:20240301000000+00'00'",
    });
    expect(showsTitle).toBe(true);
    const asXml = (text: string) => text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
    for (const text of [...Object.values(metadata).flat(), 'Platen']) expect(xmp).toContain(`>${asXml(text)}</`);
  });

  test('writes entries with other names, which a profile of PDF/A would not allow', async () => {
    const custom = { Copyright: '© 2026 <Ada>', 'x-order.no': '42', 'My Name': 'Ada', Trapped: 'False', Producer: 'Presses' };
    const { info, xmp } = await finished({ metadata: { title: 'Named', custom } });
    expect(info).toMatchObject({ Title: 'Named', Producer: 'Presses', Trapped: { name: 'False' } });
    expect(Object.fromEntries((info as { Custom: Iterable<[string, string]> }).Custom)).toEqual({
      Copyright: custom.Copyright,
      'x-order.no': '42',
      'My Name': 'Ada',
    });
    expect(xmp).toContain('<pdfx:Copyright>© 2026 &#60;Ada&#62;</pdfx:Copyright>');
    expect(xmp).toContain('<pdfx:My\u21820020Name>Ada</pdfx:My\u21820020Name>'); // as Adobe writes it
    const errorsOf = async (options: object) =>
      (await problem(await service.pdf({ html: 'x', options }), 400, 'invalid_request')).errors;
    expect(await errorsOf({ metadata: { custom: { 'a:b': 'x', title: 'y' } } })).toEqual([
      { path: 'options.metadata.custom.a:b', message: expect.stringContaining('is not a name of 1 to 64') },
      { path: 'options.metadata.custom.title', message: 'has an option of its own: use options.metadata.title' },
    ]);
    expect(await errorsOf({ conformance: 'PDF/A-3b', metadata: { custom } })).toEqual([
      ...['Copyright', 'x-order.no', 'My Name', 'Trapped'].map((name) => ({
        path: `options.metadata.custom.${name}`,
        message: expect.stringContaining('cannot be combined with options.conformance'),
      })),
    ]);
    expect(await errorsOf({ metadata: { custom: { Trapped: 'Bogus' } } })).toEqual([
      { path: 'options.metadata.custom.Trapped', message: 'must be True, False or Unknown' },
    ]);
  });

  test('keeps the title of the document, without dates, and writes keywords as one text by default', async () => {
    const { info } = await finished({ metadata: { keywords: 'eins, zwei' } });
    expect(info).toMatchObject({ Title: 'Bericht', Keywords: 'eins, zwei' });
    expect(info).not.toHaveProperty('CreationDate');
    const { info: plain, xmp } = await finished({ tagged: true });
    expect(plain).toMatchObject({ Title: 'Bericht', Creator: 'Platen', Producer: 'Platen' });
    for (const entry of ['Author', 'CreationDate', 'ModDate']) expect(plain).not.toHaveProperty(entry);
    expect(xmp).toContain('Bericht</rdf:li>');
    expect(xmp).not.toContain('Date');
  });
});

describe('password', () => {
  test('is required to open the PDF', async () => {
    const pdf = await render({ password: 'grün 漢' });
    expect((await readFinished(pdf, 'grün 漢')).texts.join()).toContain('zwei');
    await expect(readFinished(pdf)).rejects.toMatchObject({ name: 'PasswordException' });
    await expect(readFinished(pdf, 'gruen')).rejects.toMatchObject({ name: 'PasswordException' });
    expect(pdf.includes('Bericht')).toBe(false);
  });

  test.each(['café 1', 'x'.repeat(127), '😀', '\u05e9\u05dc\u05d5\u05dd', '한국어', '\u0627\u0628 7 \u062a'])(
    'opens the PDF as it was sent: %s',
    async (password) => {
      const owner = password.length < 127 ? password + password : 'own'; // 127 bytes are the most
      const pdf = await render({ password: { user: password, owner } });
      for (const each of [password, owner]) expect((await readFinished(pdf, each)).texts).toHaveLength(3);
    },
  );

  const { PRINT, PRINT_HIGH_QUALITY, COPY, MODIFY_CONTENTS, MODIFY_ANNOTATIONS, FILL_INTERACTIVE_FORMS, ASSEMBLE } =
    PermissionFlag;
  const FLAGS: Array<[permission: string, flags: number[]]> = [
    ['print', [PRINT, PRINT_HIGH_QUALITY]],
    ['print_low', [PRINT]],
    ['copy', [COPY]],
    ['modify', [MODIFY_CONTENTS]],
    ['annotate', [MODIFY_ANNOTATIONS]],
    ['fill_forms', [FILL_INTERACTIVE_FORMS]],
    ['assemble', [ASSEMBLE]],
    ['accessibility', [PermissionFlag.COPY_FOR_ACCESSIBILITY]],
  ];
  test('allows everything without a list, and nothing with an empty one', async () => {
    const all = FLAGS.flatMap(([, flags]) => flags);
    const everything = await readFinished(await render({ password: { owner: 'o' } }));
    expect(new Set(everything.permissions)).toEqual(new Set(all));
    expect((await readFinished(await render({ password: { owner: 'o', permissions: [] } }))).permissions).toEqual([]);
  });

  test.each(FLAGS)('allows only %s', async (permission, flags) => {
    const pdf = await render({ password: { owner: 'o', permissions: [permission] } });
    expect((await readFinished(pdf)).permissions).toEqual([...flags].sort((one, other) => one - other));
    expect((await readFinished(pdf, 'o')).texts).toHaveLength(3);
  });

  test('of a stored document appears neither in the data folder nor in the log', async () => {
    const record = await client.store({
      html: THREE_PAGES,
      options: { password: { user: 'nowhere-4711', owner: 'nowhere-4712' } },
    });
    expect(service.output()).not.toMatch(/nowhere-471/);
    expect(JSON.stringify(record)).not.toMatch(/nowhere-471/);
    const content = await bytesOf(await client.get(`/v1/documents/${record.document_id}`));
    expect(sha256(content)).toBe(record.sha256);
    expect(record).toMatchObject({ pages: 3, bytes: content.length });
    expect((await readFinished(content, 'nowhere-4712')).texts).toHaveLength(3);
  });
});

describe('attachments', () => {
  test.each([
    ['plain', {}],
    ['packed', { compress: true }],
    ['encrypted', { password: 'open' }],
  ])('are returned byte for byte (%s)', async (_name, options) => {
    const attachments = [
      { name: 'Zahlen – März.csv', type: 'text/csv', content: CSV.toString('base64'), description: 'Die Zahlen' },
      { name: 'leer.txt', content: '' },
    ];
    const found = (await finished({ ...options, attachments }, 'open')).attachments;
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ name: 'leer.txt', description: '', content: Buffer.alloc(0) });
    expect(found).toContainEqual({ name: 'Zahlen – März.csv', description: 'Die Zahlen', content: CSV });
  });
});

describe('watermark', () => {
  test('draws a text on the selected pages', async () => {
    const over = await finished({ watermark: { text: 'ENTWURF', pages: '2-' } });
    expect(over.texts).toEqual(['eins', 'zweiENTWURF', 'dreiENTWURF']);
    const under = await finished({ watermark: { text: 'ENTWURF', pages: '2-', layer: 'under' } });
    expect(under.texts).toEqual(['eins', 'ENTWURFzwei', 'ENTWURFdrei']);
  });

  test('draws markup in a text as text', async () => {
    const { texts } = await finished({ watermark: { text: '<b>&amp;</b><script>1</script>' } });
    expect(texts[0]).toContain('<b>&amp;</b><script>1</script>');
  });

  test('draws an image from base64 and from a data: URL, over and under the page', async () => {
    for (const image of [PIXEL_URL, PIXEL_URL.replace(/.*,/, '')])
      for (const layer of ['over', 'under'])
        expect((await readPdf(await render({ watermark: { image, layer } }))).images).toBe(3);
  });

  test('draws an SVG image', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#00ff00"/></svg>',
    );
    const pdf = await render({ watermark: { image: svg.toString('base64') } });
    expect((await readPdf(pdf)).fills).toContain('#00ff00');
  });

  test('works on a document with scripts, on a page of its key', async () => {
    const html = '<p id="p"></p><script>p.textContent = document.images.length + ":" + document.title</script>';
    const pdf = await readPdf(await render({ watermark: { image: PIXEL_URL } }, html));
    expect(pdf.pages[0]).toBe('0:');
  });

  test('returns 422 with the number of pages for pages that do not exist, and does not charge it', async () => {
    const { documents } = await client.usage();
    const refused = await client.pdf({ html: THREE_PAGES, options: { watermark: { text: 'x', pages: '4' } } });
    const { detail, pages } = await problem(refused, 422, 'print_failed').then((body) => body as typeof body & { pages: number });
    expect(detail).toContain('options.watermark.pages: there is no page 4');
    expect(pages).toBe(3);
    expect((await client.usage()).documents.used).toBe(documents.used);
  });
});

describe('tagged, outline, compress', () => {
  const ROWS = `<html lang="de"><title>t</title><table>${'<tr><td>eins<td>zwei'.repeat(300)}</table>`;

  test('compresses a tagged PDF unless compress is false, with the same content', async () => {
    const packed = await render({ tagged: true }, ROWS);
    const loose = await render({ tagged: true, compress: false }, ROWS);
    expect(packed.length).toBeLessThan(loose.length / 2);
    const [one, other] = await Promise.all([readPdf(packed), readPdf(loose)]);
    expect(one).toEqual(other);
    expect(one).toMatchObject({ tagged: true, title: 't' });
  });

  test('compresses a PDF of 10 kB or more by default, and a smaller one on request, with the same text', async () => {
    const large = Array.from({ length: 900 }, (_, n) => `<p>${n * n} und ${n * 7}`).join('');
    for (const [html, isLarge] of [
      [large, true],
      ['<p>Small', false],
    ] as const) {
      const [byDefault, packed, loose] = await Promise.all([
        render({}, html),
        render({ compress: true }, html),
        render({ compress: false }, html),
      ]);
      expect(loose.length >= 10_000).toBe(isLarge);
      expect(packed.length).toBeLessThan(loose.length);
      expect(byDefault.equals(isLarge ? packed : loose)).toBe(true);
      expect(loose.includes('/ObjStm')).toBe(false);
      expect(await readPdf(packed)).toEqual(await readPdf(loose));
    }
  });
});

describe('the same request produces the same bytes', () => {
  const ALL = {
    tagged: true,
    outline: true,
    metadata: { title: 'x' },
    attachments: [{ name: 'a', content: 'YQ==' }],
    watermark: { text: 'x' },
    password: { user: 'u', owner: 'o' },
  };
  test.each([
    ['plain', {}, THREE_PAGES],
    ['with a script', {}, `${THREE_PAGES}<script>document.title = "x"</script>`],
    ['tagged', { tagged: true, outline: true }, THREE_PAGES],
    ['with header and footer', { headerTemplate: '<b>h</b>', footerTemplate: '<i class=pageNumber></i>' }, THREE_PAGES],
    ['with all there is', ALL, THREE_PAGES],
  ])('%s', async (_name, options, html) => {
    const first = await render(options, html);
    await sleep(1_100); // Dates in PDFs have a resolution of one second.
    expect(sha256(await render(options, html))).toBe(sha256(first));
  });

  test('also for another key', async () => {
    const other = new Client(service.url, (await service.createKey()).key);
    const { password: _, ...open } = ALL;
    const theirs = await bytesOf(await other.pdf({ html: THREE_PAGES, options: open }));
    expect(sha256(theirs)).toBe(sha256(await render(open)));
    const locked = await bytesOf(await other.pdf({ html: THREE_PAGES, options: ALL }));
    expect(sha256(locked)).not.toBe(sha256(await render(ALL))); // Equal bytes would reveal to a key what another one has rendered.
  });
});

test('encrypts attachments, metadata and watermark together', async () => {
  const password = { user: 'open', owner: 'own', permissions: ['print'] };
  const attachments = [{ name: 'a', content: 'YQ==' }];
  const options = { tagged: true, metadata: { title: 'x', creator: 'Ledger' }, attachments, watermark: { text: 'DRAFT' } };
  const found = await finished({ ...options, password }, 'open');
  expect(found).toMatchObject({ info: { Title: 'x' }, xmp: expect.stringContaining('Ledger'), attachments: [{ name: 'a' }] });
  expect(found.texts[0]).toMatch(/eins.*DRAFT/);
});

test('combines finishing with singlePage, pageRanges and other options', async () => {
  const { texts } = await finished({ pageRanges: '2-3', metadata: { title: 'x' }, watermark: { text: 'W', pages: '1' } });
  expect(texts.map((text) => text.includes('W'))).toEqual([true, false]);
  expect(texts[0]).toContain('zwei');
});
