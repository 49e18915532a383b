/** Warnings about content that a PDF lacks, or that its reader cannot search or follow. */
import { describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { html } from '../support/site.ts';
import { Web } from '../support/web.ts';

const SCRIPT = '<script>1</script>';
const BREAKING = '<script>Document.prototype.querySelector = () => null; Document.prototype.querySelectorAll = () => []</script>';
const CLEAR = { warnings: [], warning_count: 0 };

const web = await Web.share().then(closeAfterAll);
web.site.serve({
  '/page': html('<a href="next.html">next</a>'),
  '/object': html('<object data="/inner" style="filter: blur(1px)"></object>'),
  '/inner': html('<p>Total'),
});

const report = (markup: string, options: object = {}, more: object = {}) => web.ada.report({ html: markup, options, ...more });

describe('closed details', () => {
  test.each(['', SCRIPT])('are reported with their number%s', async (script) => {
    const markup = `<details class="faq"><summary>Question</summary>Answer</details><details><summary>x</summary><p>y</details>${script}`;
    expect((await web.render(markup)).pages[0]).not.toContain('Answer');
    const { warnings } = await report(markup);
    expect(warnings).toMatchObject([{ kind: 'content_hidden', element: 'details.faq', count: 2 }]);
    expect(warnings[0]?.message).toContain('open');
  });

  test.each(
    Object.entries({
      'are open': '<details open><summary>x</summary>y</details>',
      'have no content': '<details><summary>x</summary></details>',
      'are not shown': '<div style="display: none"><details><summary>x</summary>y</details></div>',
      'are shown by a style':
        '<style>details::details-content { content-visibility: visible }</style><details><summary>x</summary>y</details>',
      'are opened by a script':
        '<details><summary>x</summary>y</details><script>document.querySelector("details").open = true</script>',
    }),
  )('are not reported if they %s', async (_what, markup) => {
    expect(await report(markup)).toMatchObject(CLEAR);
  });

  test('fail the render with failOnWarning', async () => {
    const options = { failOnWarning: ['content_hidden'] };
    await problem(await web.ada.pdf({ html: '<details><summary>x</summary>y</details>', options }), 422, 'render_gate_failed');
  });
});

describe('relative links without a base', () => {
  test.each(['terms.html', '../x?y=1', '/imprint', '//example.com/x', 'www.example.com', '?page=2'])(
    'are reported: %s',
    async (href) => {
      for (const script of ['', SCRIPT, BREAKING]) {
        const { warnings } = await report(`<p><a class="more" href=" ${href} ">x</a><a href="${href}">y</a>${script}`);
        expect(warnings).toMatchObject([{ kind: 'link_dropped', url: href, element: 'a.more' }]);
        expect(warnings[0]?.message).toContain('baseUrl');
      }
    },
  );

  test.each<[string, string, object?, object?]>([
    [
      'other links',
      '<a href="https://example.com/">x</a><a href="mailto:a@b.c">x</a><a href="#y">x</a><a href="">x</a><p id="y">',
    ],
    ['links with a base', '<a href="x.html">x</a>', { baseUrl: 'https://example.com/' }],
    ['links of a document with its own base', '<base href="https://example.com/"><a href="x.html">x</a>'],
    ['links of a document with files', '<a href="x.html">x</a>', {}, { assets: { 'y.css': { content: '' } } }],
    ['links that are not shown', '<a href="x.html" style="display: none">x</a><a href="y.html"></a>'],
  ])('are not reported for %s', async (_what, markup, options, more) => {
    expect(await report(markup, options, more)).toMatchObject(CLEAR);
  });

  test('are not reported for a document at a URL', async () => {
    expect(await web.ada.report({ url: `${web.site.origin}/page` })).toMatchObject(CLEAR);
  });
});

describe('links to elements that are missing', () => {
  test.each(['', SCRIPT, BREAKING])('are reported%s', async (script) => {
    const { warnings } = await report(`<p><a class="more" href="#terms">x</a><a href="#terms">y</a>${script}`);
    expect(warnings).toMatchObject([{ kind: 'link_dropped', url: '#terms', element: 'a.more' }]);
    expect(warnings[0]?.message).toContain('no element with the id terms');
  });

  test.each([
    '<a href="#a">a</a><p id="a">',
    '<a href="#a%20b">a</a><p id="a b">',
    '<a href="#a">a</a><a name="a"></a>',
    '<a href="#">a</a><a href="#top">b</a>',
    '<a href="#a" hidden>a</a>',
  ])('are not reported for %s', async (markup) => {
    expect(await report(markup)).toMatchObject(CLEAR);
  });
});

describe('text that became a picture', () => {
  const TEXT = '<div class="card"><h1>Total</h1><p>12.50</div>';

  test.each([
    `<style>.card { filter: drop-shadow(1px 1px 2px gray) }</style>${TEXT}`,
    `<style>@media print { .card { & { -webkit-filter: grayscale(1) } } }</style>${TEXT}`,
    TEXT.replace('class="card"', 'class="card" style="filter: opacity(1)"'),
    `<style>.card { -webkit-box-reflect: below }</style>${TEXT}`,
    `<style>.card { transform: perspective(90px) rotateY(20deg); width: 60px }</style>${TEXT}`,
    `<style>.card, .card p { filter: blur(0) }</style>${TEXT}`,
  ])('is reported: %s', async (markup) => {
    for (const script of ['', SCRIPT]) {
      expect((await web.render(markup + script)).pages.join()).not.toContain('Total');
      const { warnings } = await report(markup + script);
      expect(warnings).toMatchObject([{ kind: 'content_rasterized', element: 'div.card', count: 1 }]);
    }
  });

  const BLUR = 'style="filter: blur(1px)"';
  const DRAWING = (parts: string) => `<svg><filter id="f"><feGaussianBlur stdDeviation="1"/></filter>${parts}</svg>`;

  test.each([
    ['text of a drawing', DRAWING('<text y="20" filter="url(#f)">Total</text>'), 'text'],
    ['a group of a drawing', DRAWING('<g filter="url(#f)"><text y="20">Total</text></g>'), 'g'],
    ['a document in a frame', `<iframe srcdoc='<p ${BLUR}>Total'></iframe>`, 'p'],
    ['a sheet of a document in a frame', "<iframe srcdoc='<style>p { filter: blur(1px) }</style><p>Total'></iframe>", 'p'],
    ['a frame', `<iframe ${BLUR} srcdoc="<p>Total"></iframe>`, 'iframe'],
    ['a shadow root', `<div><template shadowrootmode="open"><p ${BLUR}>Total</template></div>`, 'p'],
    ['the host of a shadow root', `<div ${BLUR}><template shadowrootmode="open"><p>Total</template></div>`, 'div'],
    [
      'a shadow root of a script',
      `<div></div><script>document.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = '<style>p { filter: blur(1px) }</style><p>Total'</script>`,
      'p',
    ],
    [
      'an element that a loaded script changes',
      `<p>Total</p><script src="data:text/javascript,document.querySelector('p').style.setProperty('fil'%2b'ter','blur(1px)')"></script>`,
      'p',
    ],
    ['a field', `<input value="Total" ${BLUR}>`, 'input'],
    ['a field in an element', `<div ${BLUR}><textarea>Total</textarea></div>`, 'div'],
    ['a list', `<select ${BLUR}><option>Total</select>`, 'select'],
    ['text before an element', '<style>p::before { content: "Total"; filter: blur(1px) }</style><p>x', 'p'],
  ])('is reported for %s', async (_what, markup, element) => {
    for (const html of [markup, markup + SCRIPT]) {
      expect((await web.render(html)).pages.join()).not.toContain('Total');
      const { warnings } = await report(html);
      expect(warnings).toMatchObject([{ kind: 'content_rasterized', element, count: 1 }]);
    }
  });

  test('is reported for an object of a page', async () => {
    const { warnings } = await web.ada.report({ url: `${web.site.origin}/object` });
    expect(warnings).toMatchObject([{ kind: 'content_rasterized', element: 'object', count: 1 }]);
  });

  test.each([
    ['the shadow of a checkbox', `<input type="checkbox" value="Total" ${BLUR}><input ${BLUR}>`],
    ['an icon before an element', '<style>p::before { content: "\\f001"; font-family: x; filter: blur(1px) }</style><p>x'],
    ['a drawing without text', DRAWING('<rect width="9" height="9" filter="url(#f)"/>')],
    ['a frame without text', `<iframe ${BLUR} srcdoc="<hr>"></iframe>`],
    [
      'an image',
      '<style>svg, .card img { filter: grayscale(1) }</style><svg><title>x</title><rect width="9" height="9"></rect></svg>',
    ],
    ['no element', `<style>.other { filter: blur(1px) }</style>${TEXT}`],
    ['the screen', `<style>@media screen { .card { filter: blur(1px) } }</style>${TEXT}`],
    ['a print without it', `<style>.card { filter: blur(1px) } @media print { .card { filter: none } }</style>${TEXT}`],
    ['a filter that does not exist', `<style>.card { filter: url(#none) }</style>${TEXT}`],
    ['a backdrop', `<style>.card { backdrop-filter: blur(1px); transform: rotate(3deg); opacity: 0.5 }</style>${TEXT}`],
    ['what is hidden', `<style>.card { filter: blur(1px); display: none }</style>${TEXT}`],
  ])('is not reported for %s', async (_what, markup) => {
    expect(await report(markup)).toMatchObject(CLEAR);
  });
});

describe('rows of tables that are not repeated', () => {
  const page = '<style>@page { size: A5; margin: 1cm } table { border-spacing: 0 } th { padding: 0 }</style>';
  const rows = Array.from({ length: 120 }, (_, n) => `<tr><td>row ${n}`).join('');
  /** A quarter of the page is 179.5 pixels. */
  const table = (height: number, more = '') =>
    `${page}${more}<table><thead class="top"><tr><th style="height: ${height}px">HEAD</thead><tbody>${rows}</tbody></table>`;
  const foot = `${page}<table><tfoot><tr><th style="height: 200px">HEAD</tfoot><tbody>${rows}</tbody></table>`;

  async function headed(markup: string, options: object = {}): Promise<[headed: number, pages: number]> {
    const { pages } = await readPdfReply(await web.ada.pdf({ html: markup, options }));
    return [pages.filter((text) => text.includes('HEAD')).length, pages.length];
  }

  test.each([
    ['that are too high', table(182), 'thead.top', 'table-header-group'],
    ['that are much too high, with a script', table(400) + SCRIPT, 'thead.top', 'table-header-group'],
    ['that may break', table(20, '<style>thead { break-inside: auto }</style>'), 'thead.top', 'table-header-group'],
    ['at the foot', foot, 'tfoot', 'table-footer-group'],
  ])('are reported: rows %s', async (_what, markup, element, value) => {
    expect((await headed(markup))[0]).toBe(1);
    expect((await report(markup)).warnings).toMatchObject([{ kind: 'unsupported_css', property: 'display', value, element }]);
  });

  test.each<[string, string, object]>([
    ['rows that are repeated', table(176), {}],
    ['rows that fit on a larger page', table(200), { format: 'A4' }],
    ['rows that a scale makes fit', table(300), { scale: 0.5 }],
  ])('are not reported for %s', async (_what, markup, options) => {
    const [repeated, pages] = await headed(markup, options);
    expect(repeated).toBe(pages);
    expect(await report(markup, options)).toMatchObject(CLEAR);
  });

  test('are not reported for a table on one page', async () => {
    const short = table(200).replace(/(?:<tr><td>row \d\d+)+/, '');
    expect((await headed(short))[1]).toBe(1);
    expect(await report(`${short}<p style="break-before: page">x`)).toMatchObject(CLEAR);
  });
});
