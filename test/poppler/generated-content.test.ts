/**
 * Contents, references, strings and page numbers of generated documents agree with what poppler finds on their pages.
 * `PLATEN_TEST_PAGED_DOCUMENTS` sets the number of documents; with it, they have up to 300 pages.
 */
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles } from '../support/printed-files.ts';

const DOCUMENTS = Number(process.env.PLATEN_TEST_PAGED_DOCUMENTS ?? 10);
const MAX_CHAPTERS = process.env.PLATEN_TEST_PAGED_DOCUMENTS ? 60 : 12;
const files = await PrintedFiles.open({ PLATEN_RENDER_TIMEOUT_MS: '120000' }).then(closeAfterAll);

/** A generator of numbers from 0 to 1 that gives the same ones each time. */
function randomNumbers(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

interface Book {
  html: string;
  options: object;
  chapters: number;
  /** The chapters to which each reference leads. */
  references: number[];
  /** Whether the number of the page begins again after the contents. */
  isReset: boolean;
}

function makeBook(seed: number): Book {
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const chapters = 2 + below(MAX_CHAPTERS);
  const references: number[] = [];
  const isReset = below(2) === 1;
  const breaks = below(2) ? 'break-before: page' : '';
  const body = Array.from({ length: chapters }, (_, chapter) => {
    const paragraphs = Array.from({ length: 1 + below(30) }, () => {
      const target = below(chapters);
      const refers = below(4) === 0;
      if (refers) references.push(target);
      const reference = refers ? ` <a class="see" href="#kapitel-${target}-ä">R${references.length - 1}</a>` : '';
      return `<p>${'Lorem ipsum dolor sit amet. '.repeat(1 + below(20))}${reference}`;
    });
    return `<h1 id="kapitel-${chapter}-ä">Chapter ${chapter}x</h1>${paragraphs.join('')}`;
  });
  const own = `<nav>${body.map((_, n) => `<p><a href="#kapitel-${n}-ä">Entry ${n}x</a>`).join('')}</nav>`;
  const html = `<!doctype html><html lang="en"><title>Book ${seed}</title><style>
    @page { size: ${['A5', 'A4', '400px 500px'][below(3)]}; margin: 15mm; @top-left { content: "<" string(title) "|" string(title, last) ">" }
      @bottom-right { content: "-" counter(page) "-" } }
    h1 { string-set: title content(); ${breaks} }
    nav { break-after: page } nav a::after { content: leader(".") " " target-counter(attr(href), page) }
    main { ${isReset ? 'counter-reset: page 1' : ''} }
    .see::after { content: "=" target-counter(attr(href), page) "/" target-text(attr(href)) ";" }
    body { font: ${9 + below(5)}px/1.4 serif }</style>${own}<main>${body.join('')}</main></html>`;
  return { html, options: { tagged: below(3) === 0 }, chapters, references, isReset };
}

/** The text of each page in one line. */
async function textsOf(file: string): Promise<string[]> {
  const text = await outputOf('pdftotext', '-layout', file, '-');
  return text
    .split('\f')
    .slice(0, -1)
    .map((page) => page.replace(/\s+/g, ' '));
}

describe('a generated book', () => {
  test.each(Array.from({ length: DOCUMENTS }, (_, seed) => seed))('%i', async (seed) => {
    const { html, options, chapters, references, isReset } = makeBook(seed);
    const [file, again] = [await files.render(html, options), await files.render(html, options)];
    const pages = await textsOf(file);
    const shown = pages.map((text) => /-(\d+)- ?$/.exec(text)?.[1]);
    const first = pages.findIndex((text) => text.includes('Chapter 0x', text.indexOf('>')));
    expect(shown).toEqual(pages.map((_, page) => String(isReset && page >= first ? page - first + 1 : page + 1)));
    const bodies = pages.map((text) => text.slice(text.indexOf('>') + 1).replaceAll(/\/Chapter \d+x/g, ''));
    const starts = Array.from({ length: chapters }, (_, n) => bodies.findIndex((text) => text.includes(`Chapter ${n}x`)));
    const entries = bodies.join(' ').matchAll(/Entry (\d+)x [. ]+ (\d+)/g);
    expect(Array.from(entries, ([, n, page]) => [Number(n), page])).toEqual(starts.map((page, n) => [n, shown[page]]));
    const whole = pages
      .map((text) => text.replace(/^.*?>/, '').replace(/-\d+- ?$/, ''))
      .join(' ')
      .replace(/\s+/g, ' ');
    const found = whole.matchAll(/R(\d+)\s?=\s?(\d+)\s?\/\s?Chapter (\d+)x;/g);
    expect(Array.from(found, ([, n, page, chapter]) => [Number(n), page, Number(chapter)])).toEqual(
      references.map((target, n) => [n, shown[starts[target] as number], target]),
    );
    const titles = pages.map((_, page) => {
      const before = starts.findLastIndex((start) => start < page);
      const on = starts.flatMap((start, n) => (start === page ? n : []));
      const name = (n: number | undefined) => (n === undefined || n < 0 ? '' : `Chapter ${n}x`);
      return `${name(on[0] ?? before)}|${name(on.at(-1) ?? before)}`;
    });
    expect(pages.map((text) => /<(.*?)>/.exec(text)?.[1])).toEqual(titles);
    expect(await outputOf('sha256sum', again).then((sum) => sum.slice(0, 64))).toBe(
      (await outputOf('sha256sum', file)).slice(0, 64),
    );
  });
});
