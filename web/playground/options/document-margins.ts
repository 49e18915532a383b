/** Finds the margins that a document has of its own: a draft in, the lengths of its `@page` rules for all pages out. */
import { MARKDOWN_STYLE } from 'virtual:options-schema';
import { STYLE } from '../../shared/kept-drafts.ts';
import { type Draft, sourceOf } from '../draft.ts';
import { eachSide, isLength, type Margins } from './paper-size.ts';

type PageStyle = CSSPageRule['style'];

const PROPERTIES = { top: 'marginTop', right: 'marginRight', bottom: 'marginBottom', left: 'marginLeft' } as const;

/** Empty where the document does not say, or says it in a unit that the option does not have. */
export function documentMargins(draft: Draft): Margins {
  const declared = styleSheets(draft).flatMap(pageStyles);
  return eachSide((side) => declared.map((style) => style[PROPERTIES[side]]).findLast(isLength) ?? '');
}

/** Those that are in the draft. Of a document at a URL, nothing is known. */
function styleSheets(draft: Draft): string[] {
  if (draft.mode === 'url') return [];
  const source = sourceOf(draft);
  return [
    draft.mode === 'markdown' ? MARKDOWN_STYLE : '',
    ...source
      .split(/<style\b/i)
      .slice(1)
      .map(textOfElement),
    source.includes(STYLE) ? draft.style : '',
  ];
}

/** The text of an element that begins with its attributes. A parser of documents would report its styles as violations of our policy. */
function textOfElement(markup: string): string {
  const [text = ''] = markup.slice(markup.indexOf('>') + 1).split(/<\/style/i, 1);
  return text;
}

function pageStyles(css: string): PageStyle[] {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return [...sheet.cssRules].flatMap(stylesWithin);
}

function stylesWithin(rule: CSSRule): PageStyle[] {
  if (rule instanceof CSSPageRule) return rule.selectorText === '' ? [rule.style] : [];
  if (rule instanceof CSSMediaRule && !/^$|\b(?:print|all)\b/.test(rule.media.mediaText)) return [];
  return rule instanceof CSSGroupingRule ? [...rule.cssRules].flatMap(stylesWithin) : [];
}
