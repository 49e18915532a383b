/** `fit: "width"` prints documents that are too wide as small as they must be. */
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const FIT = { fit: 'width' };
const CELLS = Array.from({ length: 60 }, (_, n) => `<td>cell${n}`).join('');
const TABLE = `<!doctype html><meta charset="utf-8"><style>td { white-space: nowrap; padding: 4px }</style><table><tr>${CELLS}</table><p>A paragraph</p>`;
const SHARES = `<table style="font: 13px Arial"><tr><td style="width: 60%"><td><div style="display: flex"><p>${'word1 '.repeat(8)}<div style="width: 30%"><table><tr><td>word1<td>word2<td>edge3</table></div></div></table>`;
const box = (width: number) =>
  `<!doctype html><body style="margin: 0"><div style="width: ${width}px; text-align: right">edge</div>`;

async function print(html: string, options: object) {
  const pdf = await readPdfReply(await client.pdf({ html, options }));
  const { warnings } = await client.report({ html, options });
  return { ...pdf, warnings };
}

describe('fit: width', () => {
  test.each([
    ['five times', box(3_580), {}, 20],
    ['three times, with margins of the document', `${box(1_360)}<p>start<style>@page { size: A5; margin: 10mm }</style>`, {}, 36],
    ['a table', TABLE, {}, 25],
    ['a table, with a scale', TABLE, { scale: 0.5 }, 50],
    ['on a single page', TABLE, { singlePage: true }, 25],
  ])('shrinks a document %s', async (_what, html, options, percent) => {
    const cut = await client.report({ html, options });
    expect(cut.warnings.map(({ kind }) => kind)).toContain('content_clipped');
    const { warnings, placed, sizes } = await print(html, { ...options, ...FIT });
    expect(warnings).toMatchObject([{ kind: 'content_shrunk', percent }]);
    expect(sizes).toHaveLength(1);
    const last = placed[0]?.findLast(({ text }) => /edge|cell59/.test(text));
    expect(last?.x).toBeLessThan((sizes[0]?.width ?? 0) - 5);
    expect(last?.x).toBeGreaterThan((sizes[0]?.width ?? 0) * 0.85);
  });

  test.each([
    ['by two and a half times', '<div style="width: 250%">x<p align=right>edge</div>', 41],
    ['by a padding', '<div style="width: 100%; padding-right: 90px; text-align: right">edge</div>', 90],
    ['by shares of a table', SHARES, 96],
  ])('shrinks a document that is always wider than its page, %s', async (_what, markup, percent) => {
    const html = `<!doctype html>${markup}`;
    const cut = await client.report({ html });
    expect(cut.warnings.map(({ kind }) => kind)).toContain('content_clipped');
    const { warnings, placed, sizes } = await print(html, FIT);
    expect(warnings).toMatchObject([{ kind: 'content_shrunk', percent }]);
    const edge = placed[0]?.findLast(({ text }) => /edge/.test(text));
    expect(edge?.x).toBeLessThan((sizes[0]?.width ?? 0) - 5);
  });

  test('changes nothing about a document that Chromium shrinks enough', async () => {
    for (const html of [box(500), box(900)]) {
      const [fitted, other] = await Promise.all([client.pdf({ html, options: FIT }), client.pdf({ html })]);
      expect(await fitted.bytes()).toEqual(await other.bytes());
    }
  });
});
