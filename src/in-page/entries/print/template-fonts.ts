/**
 * Loads the fonts of headers and footers. Chromium does not wait for them, but uses those that the process of the page has in its
 * memory already, as it has while another document holds the same `data:` URL.
 */
import { allRules, RULE_TYPES } from '../../dom/rules.ts';
import { unquote } from '../../dom/text.ts';

/** They stay in memory until the window closes or holds other fonts. */
let held: FontFace[] = [];

/** Begins to load the fonts of these templates. */
export function holdTemplateFonts(templates: string[]): null {
  held = templates.flatMap(findFaces);
  for (const face of held) face.load().catch(() => {});
  return null;
}

/** Returns the families that could not be loaded, or null while fonts are loading. */
export function findFailedFonts(): string[] | null {
  if (held.some(({ status }) => status === 'loading')) return null;
  return held.filter(({ status }) => status === 'error').map(({ family }) => unquote(family));
}

/** Returns the fonts that the styles of the markup declare as `data:` URLs. */
export function findFaces(markup: string): FontFace[] {
  const box = document.createElement('template');
  box.innerHTML = markup;
  return [...box.content.querySelectorAll('style')].flatMap(({ textContent }) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(textContent);
    return [...allRules(sheet)].flatMap(({ type, style }) => (type === RULE_TYPES.fontFace && style ? toFace(style) : []));
  });
}

function toFace(style: CSSStyleDeclaration): FontFace[] {
  const get = (name: string) => style.getPropertyValue(name);
  if (!/data:/i.test(get('src'))) return [];
  const names = {
    ...{ weight: 'font-weight', style: 'font-style', stretch: 'font-stretch', unicodeRange: 'unicode-range' },
    ...{ sizeAdjust: 'size-adjust', ascentOverride: 'ascent-override', descentOverride: 'descent-override' },
    lineGapOverride: 'line-gap-override',
  };
  const stated = Object.entries(names).filter(([, name]) => get(name));
  const descriptors: FontFaceDescriptors = Object.fromEntries(stated.map(([descriptor, name]) => [descriptor, get(name)]));
  return [new FontFace(unquote(get('font-family')), get('src'), descriptors)];
}
