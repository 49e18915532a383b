/** The `<meta>` elements of a document become the metadata of its PDF, unless the request overrides them. */
import { describe, expect, test } from 'vitest';
import { bytesOf } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readFinished } from '../support/read-finished.ts';
import { html } from '../support/site.ts';
import { Web } from '../support/web.ts';

const web = await Web.share().then(closeAfterAll);
const { ada } = web;

const META =
  '<meta name="author" content="Zoë (Ω) Żółw"><META NAME=Description CONTENT=" On\n geese "><meta name="keywords" content="goose, , gander,goose">';
const STATED = { Author: 'Zoë (Ω) Żółw', Subject: 'On geese', Keywords: 'goose, gander' };
const document = (head: string, body = '<p>text') => `<!doctype html><title>Geese</title>${head}<body>${body}`;

async function metadataOf(request: object) {
  const reply = await ada.pdf(request);
  expect(reply.status).toBe(200);
  return readFinished(await bytesOf(reply));
}

describe('metadata of a document', () => {
  test.each([
    ['a document without script', META, {}],
    ['one with script', `${META}<script>document.title += "!"</script>`, {}],
    ['one whose script is off', `${META}<script>document.title += "!"</script>`, { javascript: false }],
    ['one that is finished in other ways', META, { compress: true }],
    ['one that moves', `${META}<style>p { animation: x 1s } @keyframes x { from { opacity: 0 } }</style>`, {}],
    ['one that hides its parts', `${META}<form name="querySelectorAll"></form>`, {}],
  ])('%s', async (_name, head, options) => {
    const { info, texts } = await metadataOf({ html: document(head), options });
    expect(info).toMatchObject({ ...STATED, Creator: 'Platen', Producer: 'Platen' });
    expect(info.Title).toMatch(/^Geese!?$/);
    expect(texts).toEqual(['text']);
  });

  test('includes metadata that a script adds', async () => {
    const script = '<script>document.head.insertAdjacentHTML("beforeend", `<meta name="author" content="Bea">`)</script>';
    const { info } = await metadataOf({ html: document('<meta name="author" content="Ada">', script) });
    expect(info.Author).toBe('Ada, Bea');
  });

  test('works with a URL, a template and a batch item', async () => {
    web.site.serve({ '/geese': html(document(META)) });
    expect((await metadataOf({ url: `${web.site.origin}/geese` })).info).toMatchObject(STATED);
    const { template_id } = await ada.template(document('<meta name="author" content="{{ name }}">'));
    expect((await metadataOf({ template_id, data: { name: 'Cleo' } })).info.Author).toBe('Cleo');
    const batch = { items: [{ html: document(META) }] };
    const { items } = await ada.batch(batch);
    const stored = await ada.get(`/v1/documents/${items[0]?.document_id}`, { accept: 'application/pdf' });
    expect((await readFinished(await bytesOf(stored))).info).toMatchObject(STATED);
  });

  test('is overridden by each entry of the request', async () => {
    const metadata = { author: 'ACME', keywords: [] };
    const { info, xmp } = await metadataOf({ html: document(META), options: { metadata } });
    expect(info).toMatchObject({ Author: 'ACME', Subject: STATED.Subject, Title: 'Geese' });
    expect(info).not.toHaveProperty('Keywords');
    expect(xmp).toContain('On geese');
  });

  test('is truncated if it is too long', async () => {
    const words = Array.from({ length: 500 }, (_, n) => `${n}${'x'.repeat(n === 3 ? 400 : 0)}`);
    const head = `<meta name="author" content="${'a'.repeat(5_000)}"><meta name="keywords" content="${words.join()}">`;
    const { info } = await metadataOf({ html: document(head) });
    expect(info.Author).toBe('a'.repeat(4_096));
    const keywords = String(info.Keywords).split(', ');
    expect(keywords).toHaveLength(200);
    expect(keywords[3]).toHaveLength(256);
  });

  test('is empty if the document has none', async () => {
    const { info } = await metadataOf({
      html: document('<meta name="viewport" content="width=1"><meta name="author">', '<p>author'),
    });
    expect(Object.keys(info)).not.toEqual(expect.arrayContaining(['Author']));
    expect(info.Title).toBe('Geese');
  });

  test('does not change between identical requests, and a script that breaks it cannot fail the render', async () => {
    const [one, other] = await Promise.all([1, 2].map(async () => bytesOf(await ada.pdf({ html: document(META) }))));
    expect(one?.equals(other as Buffer)).toBe(true);
    const spoilt =
      '<script>Array.prototype.map = () => 1; Document.prototype.querySelectorAll = () => [{ name: {}, content: 7 }]</script>';
    const { info, texts } = await metadataOf({ html: document(META + spoilt) });
    expect(info).not.toHaveProperty('Author');
    expect(texts).toEqual(['text']);
  });
});
