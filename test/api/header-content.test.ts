/** Backgrounds, fonts and files of headers and footers, and warnings about what they lack. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL } from '../support/pixel.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { html, send } from '../support/site.ts';
import { Web } from '../support/web.ts';

const web = await Web.share().then(closeAfterAll);
web.site.serve({
  '/page': html('<p>text'),
  '/strict': send('text/html', '<p>text', { 'content-security-policy': "default-src 'none'" }),
});

const PLACES = ['headerTemplate', 'footerTemplate'] as const;
const gelasio = join(dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/gelasio/package.json')), '400Regular');
const FONT = readFileSync(join(gelasio, readdirSync(gelasio).find((name) => name.endsWith('.ttf')) ?? ''));
const base64 = (content: Buffer | string) => Buffer.from(content).toString('base64');

test('a document from a URL is prepared as one, although its watermark is printed on the same page first', async () => {
  const script = 'p.textContent = [devicePixelRatio, "serviceWorker" in navigator].join()';
  web.site.serve({ '/ratio': html(`<p id=p></p><script>${script}</script>`) });
  const image = PIXEL.toString('base64');
  expect(await web.textOf('/ratio')).toBe('2,false');
  expect(await web.textOf('/ratio', { watermark: { image } })).toContain('2,false');
});

describe('backgrounds', () => {
  const box = '<div style="width: 100%; background: #0a7b3c">x</div>';

  test.each(PLACES)('of a %s are printed unless printBackground is false', async (place) => {
    expect((await web.render('<p>text', { [place]: box })).fills).toContain('#0a7b3c');
    expect((await web.render('<p>text', { [place]: box, printBackground: false })).fills).not.toContain('#0a7b3c');
  });

  test('can be left out by a template', async () => {
    const plain = `<style>div { print-color-adjust: economy }</style>${box}`;
    expect((await web.render('<p>text', { headerTemplate: plain })).fills).not.toContain('#0a7b3c');
  });
});

describe('fonts', () => {
  const face = `<style>@media all { @font-face { font-family: "Own Face"; src: url("data:font/ttf;base64,${base64(FONT)}") } }</style>`;
  const template = `${face}<b style="font: 12px 'Own Face'">Head</b>`;

  test.each<[string, string, object]>([
    ['a static document', '<p>text', {}],
    ['a document with scripts', '<p>text<script>1</script>', {}],
    ['a document without scripts', '<p>text<script>1</script>', { javascript: false }],
    ['a document that changes built-ins', '<p>text<script>delete window.FontFace; Array.prototype.map = () => []</script>', {}],
    ['a document that forbids fonts', `<meta http-equiv="Content-Security-Policy" content="font-src 'none'"><p>text`, {}],
    ['a sent margin', '<p>text', { margin: '3cm' }],
  ])('in a template are used with %s', async (_name, document, options) => {
    for (const place of PLACES) {
      const { fonts } = await web.render(document, { [place]: template, ...options });
      expect(fonts).toContain('Gelasio-Regular');
    }
  });

  test.each(['/page', '/strict'])('in a template are used with a document at a URL (%s)', async (path) => {
    expect((await web.visit(path, { headerTemplate: template })).fonts).toContain('Gelasio-Regular');
  });

  test('count in the height of the margin', async () => {
    const lines = `${face}<span style="font: 40px/normal 'Own Face'; width: 100%">${'Wide '.repeat(20)}</span>`;
    const larger = lines.replace('src:', 'size-adjust: 200%; src:');
    const [first, second] = [
      await web.render('<p>text', { headerTemplate: lines }),
      await web.render('<p>text', { headerTemplate: larger }),
    ];
    const textOf = (placed: typeof first.placed) => placed[0]?.find(({ text }) => text === 'text')?.y ?? 0;
    expect(textOf(second.placed)).toBeGreaterThan(textOf(first.placed) + 30);
  });

  test('that cannot be read are reported', async () => {
    const broken = template.replace('base64,', 'base64,AAAA');
    const { warnings } = await web.ada.report({ html: '<p>text', options: { headerTemplate: broken } });
    expect(warnings).toContainEqual(expect.objectContaining({ kind: 'resource_failed', url: 'font-family: Own Face' }));
  });

  test.each([{}, { margin: '2cm' }])('and characters that no font has are reported (%j)', async (options) => {
    const footerTemplate = '<span style="font-family: Nowhere Sans">&#x10380; \u{1F9FF}</span>';
    const { warnings } = await web.ada.report({ html: '<p>text', options: { footerTemplate, ...options } });
    expect(warnings).toMatchObject([
      { kind: 'missing_glyphs', script: 'Ugaritic', characters: '\u{10380}', count: 1 },
      { kind: 'font_substituted', family: 'Nowhere Sans' },
    ]);
  });
});

describe('files', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><rect width="60" height="30" fill="#c0ffee"/></svg>';
  const assets = {
    'logo.svg': { content: base64(svg) },
    'img/my logo.png': { content: base64(PIXEL) },
    'fonts/face.ttf': { content: base64(FONT) },
    'css/brand.css': {
      content: base64(
        "@font-face { font-family: Brand; src: url('../fonts/face.ttf') } b { font: 12px Brand; background: url(../logo.svg) }",
      ),
    },
  };
  const NAMED: Array<[what: string, template: string]> = [
    ['an image', '<img src="logo.svg">'],
    ['an image from the root', "<img src='/logo.svg?v=2'>"],
    ['a candidate', '<img srcset="logo.svg 1x, ./logo.svg 2x">'],
    ['a background', '<b style="background: url( &quot;./logo.svg&quot; )">x</b>'],
    ['a style', '<style>b { background: url(logo.svg) }</style><b>x</b>'],
    ['a style sheet', '<link rel="stylesheet" href="css/brand.css"><b>x</b>'],
  ];

  test.each(NAMED)('are shown in templates: %s', async (_what, template) => {
    for (const place of PLACES) {
      const pdf = await readPdfReply(await web.ada.pdf({ html: '<p>text', assets, options: { [place]: template } }));
      expect(pdf.fills).toContain('#c0ffee');
    }
  });

  test('are fonts and images with any name', async () => {
    const template = '<link rel="stylesheet" href="css/brand.css"><b>x</b><img src="img/my%20logo.png" width="20" height="20">';
    const body = { html: '<p>text', assets, options: { headerTemplate: template } };
    const { fonts, images } = await readPdfReply(await web.ada.pdf(body));
    expect(fonts).toContain('Gelasio-Regular');
    expect(images).toBe(1);
    expect(await web.ada.report(body)).toMatchObject({ warnings: [] });
  });

  test('of stored templates are shown, too', async () => {
    const { template_id } = await web.ada.template('<p>text');
    const put = await web.ada.send('PUT', `/v1/templates/${template_id}/assets/logo.svg`, svg, {
      'content-type': 'image/svg+xml',
    });
    expect(put.ok).toBe(true);
    const pdf = await readPdfReply(await web.ada.pdf({ template_id, options: { headerTemplate: '<img src="logo.svg">' } }));
    expect(pdf.fills).toContain('#c0ffee');
  });

  test('that are missing are reported, and nothing is requested', async () => {
    const options = { headerTemplate: '<img src="logo.png"><a href="x.html">x</a><i style="background: url(#a)">' };
    for (const more of [{ assets }, {}, { options: { ...options, baseUrl: `${web.site.origin}/` } }]) {
      web.site.forget();
      const { warnings, network } = await web.ada.report({ html: '<p>text', options, ...more });
      expect(warnings).toMatchObject([{ kind: 'resource_failed', url: 'logo.png' }]);
      expect(network.requests).toBe(0);
      expect(web.site.requestsFor('/logo.png')).toEqual([]);
    }
    const strict = { html: '<p>text', options: { ...options, failOnResourceError: true } };
    await problem(await web.ada.pdf(strict), 422, 'render_gate_failed');
  });

  test.each([
    ['an image', 'b { background: url(https://cdn.example.com/x) }'],
    ['a font', "@font-face { font-family: F; src: url('//cdn.example.com/x') } b { font-family: F }"],
    ['a style sheet', '@import "https://cdn.example.com/x"; b { color: #ab12cd }'],
  ])('that name %s elsewhere do not load it, and do not end the page', async (_what, css) => {
    const files = { 'b.css': { content: base64(css) } };
    const body = {
      html: '<p>text',
      assets: files,
      options: { headerTemplate: '<link rel="stylesheet" href="b.css"><b>HEAD</b>' },
    };
    expect((await readPdfReply(await web.ada.pdf(body))).pages[0]).toContain('HEAD');
    const { warnings, network } = await web.ada.report(body);
    expect(warnings[0]).toMatchObject({ kind: 'resource_failed', url: expect.stringContaining('//cdn.example.com/x') });
    expect(network.requests).toBe(0);
  });

  test('that are missing are not reported for an image that the same page takes next', async () => {
    const { warning_count } = await web.ada.report({
      html: '<p>text',
      assets,
      options: { headerTemplate: '<img src="missing.png">' },
    });
    expect(warning_count).toBe(1);
    const image = await web.ada.send('POST', '/v1/image', { html: '<p>text', options: { failOnResourceError: true } });
    expect([image.status, image.headers.get('platen-warnings')]).toEqual([200, '0']);
  });

  test('are limited, because they are repeated on every page', async () => {
    const large = { 'large.png': { content: base64(Buffer.alloc(4_000_000, 7)) } };
    const body = { html: '<p>text', assets: large, options: { footerTemplate: '<img src="large.png">' } };
    const { detail, limit } = await problem(await web.ada.pdf(body), 413, 'content_too_large');
    expect(detail).toContain('options.footerTemplate');
    expect(limit).toBe(4_194_304);
    const inline = { headerTemplate: `<img src="data:image/png;base64,${base64(Buffer.alloc(400_000, 7))}">` };
    expect((await problem(await web.ada.pdf({ html: 'x', options: inline }), 400, 'invalid_request')).detail).toContain(
      'in assets',
    );
    const often = { 'small.png': { content: base64(Buffer.alloc(400_000, 7)) } };
    const many = { html: '<p>text', assets: often, options: { headerTemplate: '<img src="small.png">'.repeat(1_000) } };
    await problem(await web.ada.pdf(many), 413, 'content_too_large');
  });

  test('cannot be read by the document', async () => {
    const script =
      'out.textContent = document.fonts.size + " fonts, " + Object.keys(window).filter((name) => /^held$/.test(name))';
    const probe = `<p id="out"></p><script>setTimeout(() => { ${script} })</script>`;
    const template = '<link rel="stylesheet" href="css/brand.css"><b>x</b>';
    const pdf = await readPdfReply(await web.ada.pdf({ html: probe, assets, options: { headerTemplate: template } }));
    expect(pdf.pages[0]).toContain('0 fonts,');
  });
});
