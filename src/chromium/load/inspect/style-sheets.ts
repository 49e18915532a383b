/**
 * Reads the text of the style sheets of a loaded document, because their parsed rules lack what Chromium ignores, and adds rules
 * to them. The functions below are sent as text and run in the page, so that they may use only each other.
 */
import { type Static, Type } from 'typebox';
import type { Session } from '../../devtools/connection.ts';
import { ANYTHING, answerOr, evaluate, shape } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';
import { FRAMES, type rootsIn as RootsIn, type selectIn as SelectIn } from '../../in-page/page-frames.ts';
import { translatedSizes } from '../../print/page-sizes.ts';
import { MENTIONS, RELEVANT, type StyleText } from '../html/unsupported-css.ts';

const MAX_SHEETS = 100;
/** Limits all style sheets together, because reading this amount blocks the event loop for about 100 ms. */
const MAX_CHARACTERS = 524_288;
const MAX_ADDRESS = 500;

/** A style sheet of the document: its text or its URL. In a shadow root or a frame, rules for pages have no effect. */
type Sheet = Static<typeof SheetShape>;
const SheetShape = Type.Object({
  text: Type.Optional(Type.String()),
  href: Type.Optional(Type.String()),
  isScoped: Type.Optional(Type.Boolean()),
});
const ALL_SHEETS = shape(Type.Array(SheetShape));

export type TextAt = (address: string) => Promise<string>;

/** The relevant style sheets of a document, and the rules that were added to them. */
export interface DocumentStyles {
  texts: StyleText[];
  rules: string[];
}

/** Makes page sizes that Chromium does not know take effect. `textAt` returns the text of a style sheet by its URL. */
export async function readStyles(session: Session, textAt: TextAt, step: Step): Promise<DocumentStyles> {
  const asked = evaluate(session, { expression: SHEETS }, ALL_SHEETS);
  const sheets = (await step(answerOr(asked, []))).slice(0, MAX_SHEETS); // the text may exceed the limit of an answer
  const texts = withinLimit(await step(Promise.all(sheets.map((sheet) => textOf(textAt, sheet)))));
  const rules = texts.map(({ text }, n) => (sheets[n]?.isScoped ? [] : translatedSizes(text)));
  if (rules.some(({ length }) => length)) await step(evaluate(session, { expression: addRulesExpression(rules) }, ANYTHING));
  const relevant = texts.some(({ text }) => MENTIONS.test(text)) ? texts.filter(({ text }) => RELEVANT.test(text)) : [];
  return { texts: relevant, rules: rules.flat() };
}

async function textOf(textAt: TextAt, { text, href = '', isScoped = false }: Sheet): Promise<StyleText> {
  if (text !== undefined || !href) return { text: text ?? '', where: 'style', isScoped };
  return { text: await textAt(href), where: href.slice(0, MAX_ADDRESS), isScoped };
}

/** Reads each style sheet once, up to the limit. */
function withinLimit(texts: StyleText[]): StyleText[] {
  const seen = new Set<string>();
  let left = MAX_CHARACTERS;
  return texts.map(({ text, where, isScoped = false }) => {
    const isNew = where === 'style' || !seen.has(where);
    seen.add(where);
    const kept = isNew ? text.slice(0, left) : '';
    left -= kept.length;
    return { text: kept, where, isScoped };
  });
}

const SHEETS = `(() => { ${[...FRAMES, hasPolyfill, importsOf, attributesIn, sheetsOf].join(' ')}
  try { return hasPolyfill() ? [] : sheetsOf(${RELEVANT}, ${MAX_SHEETS}, ${MAX_CHARACTERS}) } catch { return [] } })()`;

function addRulesExpression(rules: string[][]): string {
  return `(${stateRules})(${JSON.stringify(rules)})`;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageSheet {
  href: string | null;
  disabled: boolean;
  media: { mediaText: string };
  cssRules: Iterable<{ styleSheet?: PageSheet | null }> & { length: number };
  ownerNode: { localName: string; textContent: string } | null;
  insertRule(rule: string, at: number): void;
  replaceSync(css: string): void;
}
declare const rootsIn: typeof RootsIn;
declare const selectIn: typeof SelectIn;
declare const matchMedia: (query: string) => { matches: boolean };
declare const CSSStyleSheet: new () => PageSheet;
interface PageRoot {
  styleSheets: Iterable<PageSheet>;
}
declare const document: PageRoot & { adoptedStyleSheets: PageSheet[] };
declare const Document: { prototype: { querySelector(selector: string): unknown } };
interface PageElement {
  localName: string;
  getAttribute(name: string): string | null;
}

/** Whether a script of the document implements CSS for pages itself. Its style sheets are then not reported. */
function hasPolyfill(): boolean {
  return Boolean(Document.prototype.querySelector.call(document, '.pagedjs_pages, [data-vivliostyle-page-container]'));
}

/** Returns the URLs of imported sheets that can be read. */
function importsOf(sheet: PageSheet, depth: number): string[] {
  if (depth > 5) return [];
  try {
    const imported = [...sheet.cssRules].flatMap(({ styleSheet }) => styleSheet ?? []);
    return imported.flatMap((each) => [each.href ?? '', ...importsOf(each, depth + 1)]).filter(Boolean);
  } catch {
    return []; // the sheet has another origin
  }
}

/** Returns style attributes, and the `filter` attributes of SVG, as a style sheet. */
function attributesIn(root: PageRoot, relevant: RegExp, maxCharacters: number): string {
  let css = '';
  for (const element of selectIn<PageElement>(root, '[style], [filter]')) {
    if (css.length >= maxCharacters) break;
    const [style, filter] = ['style', 'filter'].map((name) => element.getAttribute(name) ?? '') as [string, string];
    const selector = element.localName === 'html' ? 'html' : '[style]';
    if (relevant.test(style)) css += `${selector} { ${style} } `;
    if (filter) css += `[filter] { filter: ${filter} } `;
  }
  return css;
}

/**
 * Returns the sheets of the document in their order, then imported sheets, style attributes, and those of shadow roots and frames.
 * Text that is not `relevant` is left out.
 */
function sheetsOf(relevant: RegExp, atMost: number, maxCharacters: number): Sheet[] {
  const [, ...roots] = rootsIn<PageRoot>(document);
  let left = maxCharacters;
  const listed = ({ href, ownerNode, disabled, media }: PageSheet): Sheet => {
    if (disabled || (media.mediaText && !matchMedia(media.mediaText).matches)) return { text: '' };
    if (href) return { href };
    const whole = ownerNode?.localName === 'style' ? ownerNode.textContent : '';
    const text = relevant.test(whole) ? whole.slice(0, left) : '';
    left -= text.length;
    return { text };
  };
  const own = [...document.styleSheets].slice(0, atMost);
  const all = own.map(listed);
  const imported = own.flatMap((sheet) => importsOf(sheet, 0)).map((href) => ({ href }));
  const scoped = roots.flatMap((root) => [
    ...[...root.styleSheets].slice(0, atMost).map(listed),
    { text: attributesIn(root, relevant, left) },
  ]);
  const attributes = { text: attributesIn(document, relevant, left) };
  return [
    ...all,
    ...imported,
    attributes,
    ...scoped.filter(({ text }) => text !== '').map((sheet) => ({ ...sheet, isScoped: true })),
  ];
}

/** Adds each rule at the end of its sheet, or after all sheets if that one has another origin. */
function stateRules(rules: string[][]): void {
  const sheets = [...document.styleSheets];
  const ours = new CSSStyleSheet();
  rules.forEach((each, n) => {
    for (const rule of each) {
      try {
        (sheets[n] as PageSheet).insertRule(rule, (sheets[n] as PageSheet).cssRules.length);
      } catch {
        ours.insertRule(rule, ours.cssRules.length);
      }
    }
  });
  if (ours.cssRules.length) document.adoptedStyleSheets = [...document.adoptedStyleSheets, ours];
}
