/** The step `extract` of an assembly, for PDFs that this service printed. */
import { expect, test } from 'vitest';
import { Client, succeeded } from '../support/client.ts';
import { photo } from '../support/photos.ts';
import { sharedService } from '../support/shared-service.ts';

const { url, key } = await sharedService();
const client = new Client(url, key);

async function extracted(html: string, what: string[], options: object = {}) {
  const body = { parts: [{ html, options }], steps: [{ extract: { what } }] };
  return (await succeeded(client.send('POST', '/v1/pdf/assemble', body))).json() as Promise<Record<string, unknown>>;
}

const LONG = 'The committee met again and considered the matter at length, after which it resolved to ask all its members.';
const DOCUMENT = `<!doctype html><html lang="en"><title>Report</title><style>body { width: 300px }</style>
<h1>Report <em>of</em> 2026</h1>
<p>${LONG}
<p>A <strong>strong</strong> word, <a href="https://example.com/a?b=(1)">a link</a>, <code>x = 1</code>, H<sub>2</sub>O.
<h2>Lists</h2>
<ul><li>One<li>Two<ul><li>Two <em>one</em><li>Two two</ul><li>Three</ul>
<ol start="3"><li>Third<li>Fourth<ol><li>deep</ol></ol>
<h3>A table</h3>
<table><caption>Sums</caption><thead><tr><th>Name<th>Of<th>Sum</thead>
<tr><td rowspan="2">a | b<td>one<td>1<tr><td colspan="2">both</table>
<pre><code>if (a) {
  b();
}</code></pre>
<blockquote><p>Quoted.<p>Twice.</blockquote>
<p><img alt="A red [dot]" src="data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=">
<p lang="ar" dir="rtl">تقرير <strong>سنوي</strong> (2026) باللغة العربية
<p lang="he" dir="rtl">שלום עולם
<p>The word שלום is Hebrew.
<p>Not *strong*, not a [link](x), not &lt;b&gt;.
<p>1. is no list
<p># is no heading`;

const MARKDOWN = `# Report *of* 2026

${LONG}

A **strong** word, [a link](https://example.com/a?b=%281%29), \`x = 1\`, H2O.

## Lists

- One
- Two
  - Two *one*
  - Two two
- Three

3. Third
4. Fourth
   1. deep

### A table

Sums

| Name | Of | Sum |
| --- | --- | --- |
| a \\| b | one | 1 |
|  | both |  |

\`\`\`
if (a) {
  b();
}
\`\`\`

> Quoted.
>
> Twice.

![A red \\[dot\\]]()

تقرير **سنوي** (2026) باللغة العربية

שלום עולם

The word שלום is Hebrew.

Not \\*strong\\*, not a \\[link\\](x), not \\<b>.

1\\. is no list

\\# is no heading`;

test.each([{ tagged: true }, { conformance: ['PDF/A-3a', 'PDF/UA-1'] }, { conformance: 'PDF/UA-2' }])(
  'Markdown of a print with the options %j is what its document says',
  async (options) => {
    expect(await extracted(DOCUMENT, ['markdown'], options)).toMatchObject({ markdown: MARKDOWN });
  },
);

test('Markdown of a PDF without tags is null', async () => {
  expect((await extracted('<p>x', ['markdown'], { tagged: false })).markdown).toBeNull();
});

test('text in scripts from right to left is in the order in which it is read', async () => {
  const { pages } = await extracted('<p dir=rtl>שלום עולם 25 (טוב)<p>See שלום עולם here', ['text']);
  expect(pages).toMatchObject([{ text: 'שלום עולם 25 (טוב)\nSee שלום עולם here' }]);
});

test('images are JPEGs as they were sent, and PNGs', async () => {
  const jpeg = photo('colour').toString('base64');
  const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const html = `<style>img { width: 96px } p { break-after: page }</style><p><img src="data:image/jpeg;base64,${jpeg}">
<p><img src="data:image/jpeg;base64,${jpeg}"><img src="data:image/png;base64,${dot}">`;
  const { images } = (await extracted(html, ['images'])) as {
    images: Array<{ type: string; content: string; places: object[] }>;
  };
  expect(images.map(({ type, places }) => `${type} ${places.length}`).sort()).toEqual(['image/jpeg 2', 'image/png 1']);
  const [first] = images.filter(({ type }) => type === 'image/jpeg');
  expect(first?.content).toBe(jpeg);
  expect(first?.places).toMatchObject([
    { page: 1, width: 72 },
    { page: 2, width: 72 },
  ]);
});
