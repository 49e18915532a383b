/**
 * The style sheets of a loaded document as they are written, which their rules no longer tell; and rules of ours in them. The
 * functions below run in the page, sent as text, so they may use nothing but each other.
 */
import type { Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';
import { SHADOWS, withShadows } from '../in-page/page-frames.ts';
import { translatedSizes } from '../print/page-sizes.ts';
import { MENTIONS, type StyleText } from './unsupported-css.ts';

const MAX_SHEETS = 100;
/** Of all style sheets together: reading them holds the service, some 100 ms for so many. */
const MAX_CHARACTERS = 524_288;
const MAX_ADDRESS = 500;

/** A style sheet of the document: its text, or where it came from. */
interface Sheet {
  text?: string;
  href?: string;
  /** Whether it is one of a shadow root, where rules for pages have no effect. */
  isScoped?: boolean;
}

export type TextAt = (address: string) => Promise<string>;

/** The style sheets of a document that may say something of interest, and the rules that were added to them. */
export interface StatedStyles {
  texts: StyleText[];
  rules: string[];
}

/** Makes page sizes that only we know take effect. `textAt` tells the text of a style sheet that came from an address. */
export async function readStyles(session: Session, textAt: TextAt, step: Step): Promise<StatedStyles> {
  const asked = session.send('Runtime.evaluate', { expression: SHEETS, returnByValue: true });
  const answer = asked.then(
    ({ result }) => result.value,
    () => undefined, // more than a reply may hold
  );
  const sheets = readSheets(await step(answer));
  const texts = withinLimit(await step(Promise.all(sheets.map((sheet) => textOf(textAt, sheet)))));
  const rules = texts.map(({ text }, n) => (sheets[n]?.isScoped ? [] : translatedSizes(text)));
  if (rules.some(({ length }) => length)) await step(session.send('Runtime.evaluate', { expression: stateExpression(rules) }));
  return { texts: texts.filter(({ text }) => MENTIONS.test(text)), rules: rules.flat() };
}

/** What the page says of it, which may be anything. */
function readSheets(value: unknown): Sheet[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_SHEETS).map((sheet) => {
    const { text, href, isScoped } = Object(sheet) as Sheet;
    return { ...(typeof text === 'string' && { text }), ...(typeof href === 'string' && { href }), isScoped: isScoped === true };
  });
}

async function textOf(textAt: TextAt, { text, href = '' }: Sheet): Promise<StyleText> {
  if (text !== undefined || !href) return { text: text ?? '', where: 'style' };
  return { text: await textAt(href), where: href.slice(0, MAX_ADDRESS) };
}

/** The same style sheet is not read twice, and no more of them than there is room for. */
function withinLimit(texts: StyleText[]): StyleText[] {
  const seen = new Set<string>();
  let left = MAX_CHARACTERS;
  return texts.map(({ text, where }) => {
    const isNew = where === 'style' || !seen.has(where);
    seen.add(where);
    const kept = isNew ? text.slice(0, left) : '';
    left -= kept.length;
    return { text: kept, where };
  });
}

const SHEETS = `(() => { ${[...SHADOWS, hasPolyfill, importsOf, sheetsOf].join(' ')}
  try { return hasPolyfill() ? [] : sheetsOf(${MENTIONS}, ${MAX_SHEETS}, ${MAX_CHARACTERS}) } catch { return [] } })()`;

function stateExpression(rules: string[][]): string {
  return `(${stateRules})(${JSON.stringify(rules)})`;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageSheet {
  href: string | null;
  cssRules: Iterable<{ styleSheet?: PageSheet | null }> & { length: number };
  ownerNode: { localName: string; textContent: string } | null;
  insertRule(rule: string, at: number): void;
  replaceSync(css: string): void;
}
declare const CSSStyleSheet: new () => PageSheet;
declare const document: { styleSheets: Iterable<PageSheet>; adoptedStyleSheets: PageSheet[] };
declare const Document: {
  prototype: { querySelector(selector: string): unknown; querySelectorAll(selector: string): PageElement[] };
};
interface PageElement {
  getAttribute(name: string): string;
}

/** What a document does by script about the CSS of pages that Chromium does not know is not for us to judge. */
function hasPolyfill(): boolean {
  return Boolean(Document.prototype.querySelector.call(document, '.pagedjs_pages, [data-vivliostyle-page-container]'));
}

/** Addresses of imported sheets, as far as they can be seen. */
function importsOf(sheet: PageSheet, depth: number): string[] {
  if (depth > 5) return [];
  try {
    const imported = [...sheet.cssRules].flatMap(({ styleSheet }) => styleSheet ?? []);
    return imported.flatMap((each) => [each.href ?? '', ...importsOf(each, depth + 1)]).filter(Boolean);
  } catch {
    return []; // it comes from elsewhere
  }
}

/** Those of the document first and in their order, those of shadow roots last. Text that mentions nothing of interest is left out. */
function sheetsOf(mentions: RegExp, atMost: number, maxCharacters: number): Sheet[] {
  const [own = [], ...scoped] = withShadows(document).map(({ styleSheets }) => [...styleSheets].slice(0, atMost));
  let left = maxCharacters;
  const listed = ({ href, ownerNode }: PageSheet): Sheet => {
    if (href) return { href };
    const whole = ownerNode?.localName === 'style' ? ownerNode.textContent : '';
    const text = mentions.test(whole) ? whole.slice(0, left) : '';
    left -= text.length;
    return { text };
  };
  const all = own.map(listed);
  const imported = own.flatMap((sheet) => importsOf(sheet, 0)).map((href) => ({ href }));
  let attributes = '';
  for (const element of Document.prototype.querySelectorAll.call(document, '[style]')) {
    const style = element.getAttribute('style');
    if (mentions.test(style) && attributes.length < left) attributes += `x { ${style} } `;
  }
  return [...all, ...imported, { text: attributes }, ...scoped.flat().map((sheet) => ({ ...listed(sheet), isScoped: true }))];
}

/** Each at the end of its sheet; where that comes from elsewhere, after all others. */
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
