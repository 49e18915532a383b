/** The step `conform` of an assembly: what becomes conformant, what stays as it is, and what is refused with its rules. */
import { PDF, PdfBool, PdfDict, PdfName, PdfNumber, PdfStream } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { HIDING_PLACES } from '../support/hidden-texts.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { readFinished } from '../support/read-finished.ts';
import { readZip } from '../support/read-zip.ts';
import { startService } from '../support/service.ts';

const service = await startService({}).then(closeAfterAll);
const client = new Client(service.url, service.key);
const HTML = '<!doctype html><html lang="en"><title>Report</title><h1>Report</h1><p>Text <a href="https://x.test/">link</a>';

const base64 = (pdf: Uint8Array) => Buffer.from(pdf).toString('base64');
const send = (pdf: Uint8Array, profile: unknown, ...steps: object[]) =>
  client.send('POST', '/v1/pdf/assemble', { parts: [{ file: base64(pdf) }], steps: [...steps, { conform: { profile } }] });
const conformed = async (...given: Parameters<typeof send>) => Buffer.from(await bytesOf(await succeeded(send(...given))));
const brokenRules = async (...given: Parameters<typeof send>) => {
  const { violations } = await problem(await send(...given), 422, 'not_conformant');
  return (violations as Array<{ rule: string }>).map(({ rule }) => rule);
};
const isValid = async (pdf: Buffer, profile: string) => {
  const reply = await client.send('POST', `/v1/pdf/validate?profile=${encodeURIComponent(profile)}`, pdf, {
    'content-type': 'application/pdf',
  });
  return ((await reply.json()) as { valid: boolean }).valid;
};
const changed = async (pdf: Uint8Array, change: (pdf: PDF, page: PdfDict) => void) => {
  const loaded = await PDF.load(pdf);
  change(loaded, loaded.getPage(0)?.dict as PdfDict);
  return loaded.save();
};

const plain = await client.rendered({ html: HTML });
const tagged = await client.rendered({ html: HTML, options: { tagged: true } });

describe('a PDF becomes', () => {
  test.each(['PDF/A-2b', 'PDF/A-3b', 'PDF/A-4'])('%s, with metadata, an output intent and an identifier', async (profile) => {
    const pdf = await conformed(plain, profile);
    expect(await isValid(pdf, profile)).toBe(true);
    expect(pdf.toString('latin1', 0, 8)).toBe(profile === 'PDF/A-4' ? '%PDF-2.0' : '%PDF-1.7');
  });

  test('PDF/A-1b, without object streams', async () => {
    const pdf = await conformed(plain, 'PDF/A-1b');
    expect(pdf.toString('latin1', 0, 8)).toBe('%PDF-1.4');
    expect(pdf.includes('/ObjStm')).toBe(false);
    expect((await readFinished(pdf)).xmp).toContain('<pdfaid:part>1</pdfaid:part>');
  });

  test('conformant after other steps that withdrew what it claimed', async () => {
    const own = await client.rendered({ html: HTML, options: { conformance: 'PDF/A-2a' } });
    const pdf = await conformed(own, 'PDF/A-2a', { letterhead: { file: base64(plain) } });
    expect(await isValid(pdf, 'PDF/A-2a')).toBe(true);
  });

  test('what it is, if it conforms already', async () => {
    const own = Buffer.from(await client.rendered({ html: HTML, options: { conformance: ['PDF/A-3a', 'PDF/UA-1'] } }));
    expect((await conformed(own, ['PDF/A-3b', 'PDF/UA-1'])).equals(own)).toBe(true);
  });

  test('several PDFs afterwards, each of which conforms', async () => {
    const three = Buffer.from(await client.rendered({ html: '<p>a<p style="break-before: page">b' }));
    const steps = [{ conform: { profile: 'PDF/A-2b' } }, { split: { every: 1 } }];
    for (const pdf of [three, await conformed(three, 'PDF/A-2b')]) {
      const reply = await succeeded(client.send('POST', '/v1/pdf/assemble', { parts: [{ file: base64(pdf) }], steps }));
      const parts = await readZip(await bytesOf(reply));
      expect(parts.size).toBe(2);
      for (const part of parts.values()) expect(await isValid(Buffer.from(part), 'PDF/A-2b')).toBe(true);
    }
  });

  test('PDF/UA with its title shown, if it has tags', async () => {
    const untitled = await changed(tagged, (pdf) => pdf.context.catalog.getDict().delete('ViewerPreferences'));
    expect(await isValid(await conformed(untitled, 'PDF/UA-1'), 'PDF/UA-1')).toBe(true);
  });

  test('no other PDF afterwards, but for a signature and a split', async () => {
    const body = { parts: [{ file: base64(plain) }], steps: [{ conform: { profile: 'PDF/A-2b' } }, { stamp: { text: 'x' } }] };
    const { errors } = await problem(await client.send('POST', '/v1/pdf/assemble', body), 400, 'invalid_request');
    expect(errors).toEqual([{ path: 'steps[1].stamp', message: 'cannot follow conform, which ends the PDF' }]);
  });
});

describe('a PDF is refused with the rules that it breaks', () => {
  test.each([
    ['fonts that are not embedded', HIDING_PLACES['shown text']?.('x') as Buffer, 'PDF/A-2b', ['font_not_embedded']],
    ['scripts', HIDING_PLACES['a script']?.('x') as Buffer, 'PDF/A-2b', ['font_not_embedded', 'action_forbidden']],
    ['no tags', plain, 'PDF/A-2a', ['not_marked', 'structure_missing']],
  ])('%s', async (_, pdf, profile, rules) => {
    expect(await brokenRules(pdf, profile)).toEqual(expect.arrayContaining(rules));
  });

  test.each([
    ['colours of a printer', '0 0 0 1 k', 'PDF/A-2b', 'color_undefined'],
    ['colours of a printer in an inline image', 'BI /W 1 /H 1 /BPC 8 /CS /CMYK ID xxxx EI', 'PDF/A-2b', 'color_undefined'],
  ])('%s', async (_, content, profile, rule) => {
    const pdf = await changed(plain, (loaded, page) => {
      page.set('Contents', loaded.register(PdfStream.fromDict({}, Buffer.from(content))));
    });
    expect(await brokenRules(pdf, profile)).toEqual([rule]);
  });

  test('transparency and layers, of PDF/A-1', async () => {
    const faint = await client.rendered({ html: `${HTML}<p style="opacity: 0.5">faint<img src="${PIXEL_URL}">` });
    const pdf = await changed(faint, (loaded) => loaded.context.catalog.getDict().set('OCProperties', new PdfDict()));
    expect(await brokenRules(pdf, 'PDF/A-1b')).toEqual(expect.arrayContaining(['transparency', 'layers']));
    expect(await isValid(await conformed(faint, 'PDF/A-2b'), 'PDF/A-2b')).toBe(true);
  });

  test('an image that is smoothed', async () => {
    const pdf = await changed(plain, (loaded, page) => {
      const size = { Width: PdfNumber.of(1), Height: PdfNumber.of(1), BitsPerComponent: PdfNumber.of(8) };
      const entries = { Subtype: PdfName.of('Image'), ColorSpace: PdfName.of('DeviceGray'), ...size };
      const image = PdfStream.fromDict(entries, Uint8Array.of(0));
      image.set('Interpolate', PdfBool.TRUE);
      page.set('Private', loaded.register(image));
    });
    expect(await brokenRules(pdf, 'PDF/A-2b')).toEqual(['image_interpolated']);
  });

  test('no title and no language, of PDF/UA', async () => {
    const untitled = await client.rendered({ html: '<h1>x</h1>', options: { tagged: true } });
    expect(await brokenRules(untitled, 'PDF/UA-1')).toEqual(expect.arrayContaining(['title_missing', 'language_missing']));
    expect(await isValid(await conformed(tagged, ['PDF/A-2a', 'PDF/UA-1']), 'PDF/UA-1')).toBe(true);
  });
});
