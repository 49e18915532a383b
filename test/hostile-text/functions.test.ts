/** Whatever the thread of the service does with the text of a caller takes time in proportion to the length of the text, as a ratio. */
import { expect, test } from 'vitest';
import { glyphCandidates } from '../../src/chromium/glyphs/glyph-candidates.ts';
import { hanLanguages } from '../../src/chromium/glyphs/han-fonts.ts';
import { classifyHtml, mentionsNetworkApis, withBase } from '../../src/chromium/load/html/classify-html.ts';
import { parseDocumentMetadata } from '../../src/chromium/load/html/document-metadata.ts';
import { findUnsupportedCss } from '../../src/chromium/load/html/unsupported-css.ts';
import { findSizes, translateSizes } from '../../src/chromium/print/page-sizes.ts';
import { loadConfig } from '../../src/config.ts';
import { toDisposition } from '../../src/http/replies/disposition.ts';
import { documentUrls, inCss } from '../../src/render/document-urls.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { externalReference } from '../../src/render/request/values/external-references.ts';
import { isUsableFilename } from '../../src/render/request/values/filename.ts';
import { toInches } from '../../src/render/request/values/lengths.ts';
import { parsePageRanges } from '../../src/render/request/values/page-ranges.ts';
import { ValidationErrors } from '../../src/render/request/values/validation-errors.ts';
import { dataUse } from '../../src/templates/data-use.ts';
import { fillPlaceholders, parsePlaceholders } from '../../src/templates/placeholders.ts';
import { PAIRED, PIECES, repeated } from './pieces.ts';

const { limits } = loadConfig({});
const LIMIT_BYTES = 20_000_000;

const FUNCTIONS: Record<string, (text: string) => unknown> = {
  classifyHtml,
  mentionsNetworkApis,
  withBase: (text) => withBase(text, 'https://example.com/'),
  withOwnBase: (text) => withBase(`<base>${text}`, 'https://example.com/'),
  sizesIn: findSizes,
  translatedSizes: translateSizes,
  unsupportedIn: (text) => findUnsupportedCss([{ text, where: 'style' }]),
  glyphCandidates,
  hanLanguages: (text) => hanLanguages([text]),
  parseDocumentMetadata: (text) => parseDocumentMetadata([['keywords', text]]),
  externalReference,
  documentUrls: (text) => Array.from(documentUrls(text, 'https://example.com/')).length,
  documentUrlsOfBase: (text) =>
    Array.from(documentUrls(`<base href="${text.slice(0, text.length / 2)}">${text}`, undefined)).length,
  inCss: (text) => Array.from(inCss(text, 'https://example.com/')).length,
  placeholders: (text) => ignoreRefusal(() => fillPlaceholders(parsePlaceholders(text), { a: { b: text } }, LIMIT_BYTES)),
  dataUse: (text) => dataUse([text], { [text]: text }),
  toInches,
  parsePageRanges: (text) => parsePageRanges('pageRanges', text, new ValidationErrors()),
  isUsableFilename,
  dispositionOf: (text) => toDisposition('inline', text.slice(0, 1_000)),
  body: (text) =>
    ignoreRefusal(() => {
      const { format, pageRanges, margin, waitForSelector } = {
        format: text,
        pageRanges: text,
        margin: text,
        waitForSelector: text,
      };
      const options = { format, pageRanges, margin, waitForSelector, headerTemplate: text, [text]: text };
      parseRenderRequest({ html: text, filename: text, [text]: text, metadata: { [text]: text }, options }, limits);
    }),
};

/** Refusing a text is an answer too. */
function ignoreRefusal(attempt: () => unknown): void {
  try {
    attempt();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Processor time, because other processes may delay the test. Code is compiled, and memory is cleared, only once. */
function millisecondsFor(read: (text: string) => unknown, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least > 20; run++) {
    const before = process.threadCpuUsage();
    read(text);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/**
 * Whether four times the text takes more than ten times as long: it would take sixteen times in quadratic time. Texts that are read
 * quickly are not measured, because on a busy machine the time of small ones varies.
 */
function growsTooFast(read: (text: string) => unknown, piece: string, length: number, quickMs: number): boolean {
  const milliseconds = millisecondsFor(read, repeated(piece, length));
  if (milliseconds <= quickMs) return false;
  return millisecondsFor(read, repeated(piece, length / 4)) * 10 < milliseconds;
}

/** A body has the same text in nine places. */
const share = (name: string) => (name === 'body' ? 8 : 1);

test.each(Object.entries(FUNCTIONS))('%s reads up to 400 kB of each piece', (name, read) => {
  const [length, quickMs] = [400_000 / share(name), 1_500 / share(name)];
  expect(PIECES.filter((piece) => growsTooFast(read, piece, length, quickMs))).toEqual([]);
});

test.each(Object.entries(FUNCTIONS))('%s reads up to 20 kB of each pair of pieces', (name, read) => {
  const pairs = PAIRED.flatMap((first) => PAIRED.map((second) => first + second));
  expect(pairs.filter((pair) => growsTooFast(read, pair, 20_000 / share(name), 40))).toEqual([]);
});
