/** Inserting an element changes nothing else in the document, according to the parser of the browser. */
import { expect, test } from 'vitest';
import { headOffset, insertInHead } from '../../src/chromium/load/html/insert-into-head.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { RawPrinter } from '../support/raw-printer.ts';
import { readPdf } from '../support/read-pdf.ts';

const printer = await RawPrinter.start().then(closeAfterAll);

/** Markup that the parser treats in different ways before the head. */
const PIECES = [
  ...[
    '<!doctype html>',
    '<!DOCTYPE html PUBLIC "a>b" \'',
    `<!doctype html PUBLIC "${'x'.repeat(2_000)}">`,
    '<!doctype>',
    '<!doc',
  ],
  ...['<!doctype html SYSTEM "about:legacy-compat">', '<!DOCTYPE svg [<!ENTITY a "b">]>'],
  ...[' ', '\n', '\r\n', '\t\f', ' '.repeat(1_500), '\u00a0', '\uFEFF', '\0', 'text', '&amp;', '&nbsp;'],
  ...['<!-- a > b -->', '<!-->', '<!--->', '<!--!>', '<!---!>', '<!--a--!>', '<!--a--!-->', '<!--<!-- a -->', '<!---->', '<!--'],
  ...[
    '<![if !IE]>',
    '<![endif]>',
    '<![CDATA[ a > b ]]>',
    '<!>',
    '<!-',
    '<?xml version="1.0"?>',
    '<?',
    '</>',
    '</ a>',
    '</!a>',
    '</',
    '<',
    '<1',
  ],
  ...['<!--[if IE]><html class="ie"><![endif]-->', '<!--[if !IE]><!-->', '<!--<![endif]-->'],
  ...[
    '<html>',
    '<HTML lang="en" class=a>',
    '<html data-a=">" b=\'>\' c=d">',
    '<html ="a>" b==">">',
    '<html a/b / c=/>',
    '<html a = >',
  ],
  ...['<html a="', "<html a='>", '<html a', '<htmlx>', '<html\n\tlang\n=\nde\n>', '<html a="b"c="d">'],
  ...['<head>', '<HEAD id="h" class=q>', '<head/>', '<head profile=">">', '<header>', '<head a="'],
  ...['</p>', '</html>', '</head>', '</body>', '</br>', '</HTML x=">">', '</template>', '</script '],
  ...[
    '<base target="_top">',
    '<title>t</title>',
    '<meta charset="utf-8">',
    '<style>p{}</style>',
    '<script>1</script>',
    '<noscript><p></noscript>',
  ],
  ...[
    '<template><head></template>',
    '<body class="b">',
    '<frameset><frame></frameset>',
    '<svg><title>s</title></svg>',
    '<p>p</p>',
    '<table><tr>',
  ],
];

/** Returns a document that prints the indexes of the pairs that are parsed differently. */
function comparison(pairs: Array<[plain: string, inserted: string]>): string {
  const data = JSON.stringify(pairs).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028');
  return `<!doctype html><meta charset="utf-8"><p id="out"></p><script>
    const parsed = (html) => new DOMParser().parseFromString(html, 'text/html');
    const shown = (node) => [node.nodeType, node.nodeName, node.data, node.publicId, node.systemId,
      [...(node.attributes ?? [])].map(({ name, value }) => [name, value]), [...(node.content?.childNodes ?? node.childNodes)].map(shown)];
    const alike = ([plain, inserted]) => {
      const page = parsed(inserted);
      const [first] = page.head?.children ?? [];
      if (first?.id !== 'inserted') return plain === inserted;
      first.remove();
      return page.compatMode === parsed(plain).compatMode && JSON.stringify(shown(page)) === JSON.stringify(shown(parsed(plain)));
    };
    const different = ${data}.flatMap((pair, n) => alike(pair) ? [] : [n]);
    out.textContent = 'different: ' + different.slice(0, 20).join(' ') + '.';
  </script>`;
}

async function expectSameParse(documents: string[]): Promise<void> {
  const pairs = documents.map((html): [string, string] => [html, insertInHead(html, '<base id="inserted">')]);
  const { pages } = await readPdf(await printer.print(comparison(pairs)));
  const numbers = /different: ([\d ]*)\./.exec(pages.join(' '))?.[1];
  expect(
    numbers
      ?.split(' ')
      .filter(Boolean)
      .map((number) => documents[Number(number)]?.slice(0, 90)),
  ).toEqual([]);
}

/** Generates the same pseudorandom numbers in every run (a linear congruential generator). */
function* numbers(): Generator<number, never> {
  for (let state = 12_345; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield Math.floor(state / 65_536);
  }
}

test('handles each part and each pair of parts', async () => {
  const documents = PIECES.flatMap((first) => ['', ...PIECES].map((second) => first + second));
  await expectSameParse([...documents, ...PIECES.map((piece) => `${piece}<!doctype html><html><head><title>x</title><p>y`)]);
});

test('handles five thousand documents of up to ten parts', async () => {
  const random = numbers();
  const pick = (below: number) => random.next().value % below;
  await expectSameParse(
    Array.from({ length: 5_000 }, () => Array.from({ length: 1 + pick(10) }, () => PIECES[pick(PIECES.length)]).join('')),
  );
});

test.each(['<!--', '<!doctype ', '<html a="', '<html a', "<html a='", ' ', '</p>', '<html ', '<html>', '</', '<![', '<html a= '])(
  'reads long input once: %s',
  (piece) => {
    const html = piece.repeat(Math.ceil(2_000_000 / piece.length));
    expect(headOffset(html) ?? 0).toBeLessThanOrEqual(html.length);
  },
);
