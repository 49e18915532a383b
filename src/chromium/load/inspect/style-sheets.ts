/** Reads the text of the style sheets of a loaded document, and adds rules to them for page sizes that Chromium does not know. */
import { Type } from 'typebox';
import type { StyleSource } from '../../../in-page/contract/inspection.ts';
import { MAX_STYLE_CHARACTERS, MAX_STYLE_SHEETS } from '../../../in-page/contract/limits.ts';
import { INSPECTED_CSS, RELEVANT_CSS } from '../../../in-page/contract/relevant-css.ts';
import { ask, DONE } from '../../devtools/ask.ts';
import type { Session } from '../../devtools/connection.ts';
import { answerOr, shape } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';
import { toWholeUrl, withWholeUrls } from '../../page-css/page-pictures.ts';
import { type PagedStyles, translatePaged } from '../../page-css/paged-properties.ts';
import { translateSizes } from '../../print/page-sizes.ts';
import type { StyleText } from '../html/unsupported-css.ts';

const MAX_ADDRESS = 500;
const MAX_PICTURES = 100;

const STYLE_SOURCES = shape(
  Type.Array(
    Type.Object({
      text: Type.Optional(Type.String()),
      href: Type.Optional(Type.String()),
      isScoped: Type.Optional(Type.Boolean()),
    }),
  ),
);

export type TextAt = (address: string) => Promise<string>;

/** The relevant style sheets of a document, and the rules that were added to them. */
export interface DocumentStyles {
  texts: StyleText[];
  rules: string[];
  paged: PagedStyles;
}

/**
 * Makes CSS for pages that Chromium does not know take effect: page sizes, and what depends on the pages, which is only prepared.
 * `textAt` returns the text of a style sheet by its URL.
 */
export async function readStyles(session: Session, textAt: TextAt, step: Step): Promise<DocumentStyles> {
  const asked = ask(session, 'readStyleSheets', [], STYLE_SOURCES);
  const sheets = (await step(answerOr(asked, []))).slice(0, MAX_STYLE_SHEETS); // the text may exceed the limit of an answer
  const texts = withinLimit(await step(Promise.all(sheets.map((sheet) => readText(textAt, sheet)))));
  const own = texts.map(({ text }, n) => (sheets[n]?.isScoped ? '' : text));
  const paged = translatePaged(own, (n) => sheets[n]?.href !== undefined);
  const rules = own.map((text, n) => [
    ...(paged.rules[n] ?? []).map((rule) => withWholeUrls(rule, sheets[n]?.href)),
    ...translateSizes(text),
  ]);
  const pictures = paged.pictures.flatMap((urls, n) => urls.map((url) => toWholeUrl(url, sheets[n]?.href)));
  const fetched = [...new Set(pictures)].filter((url) => !/^data:/i.test(url)).slice(0, MAX_PICTURES);
  if (fetched.length) await step(answerOr(ask(session, 'loadPictures', [fetched], DONE), null));
  if (rules.some(({ length }) => length)) await step(ask(session, 'extendStyleSheets', [rules], DONE));
  const relevant = texts.some(({ text }) => INSPECTED_CSS.test(text)) ? texts.filter(({ text }) => RELEVANT_CSS.test(text)) : [];
  return { texts: relevant, rules: rules.flat(), paged };
}

async function readText(textAt: TextAt, { text, href = '', isScoped = false }: StyleSource): Promise<StyleText> {
  if (text !== undefined || !href) return { text: text ?? '', where: 'style', isScoped };
  return { text: await textAt(href), where: href.slice(0, MAX_ADDRESS), isScoped };
}

/** Reads each style sheet once, up to the limit. */
function withinLimit(texts: StyleText[]): StyleText[] {
  const seen = new Set<string>();
  let left = MAX_STYLE_CHARACTERS;
  return texts.map(({ text, where, isScoped = false }) => {
    const isNew = where === 'style' || !seen.has(where);
    seen.add(where);
    const kept = isNew ? text.slice(0, left) : '';
    left -= kept.length;
    return { text: kept, where, isScoped };
  });
}
