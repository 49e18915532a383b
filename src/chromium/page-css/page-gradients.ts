/**
 * Chromium paints colours and pictures behind pages, but no gradients: a declaration of a background in, one with pictures that consist of its
 * gradients out.
 */
import { type Declaration, isOfPage, ruleWithin } from './css-statements.ts';

const GRADIENT = /(?<![\w-])(?:repeating-)?(?:linear|radial|conic)-gradient\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/gi;
/** Pictures do not know the custom properties of the document. */
const UNKNOWN = /(?<![\w-])(?:var|env|attr)\(/i;

/** What is placed in an area or has the size of one. */
const PLACED = /center|bottom|right|contain|cover|gradient|svg|%/i;
const PICTURE = /(?:url|image-set|gradient)\(/i;

/**
 * Whether pictures behind pages may be in other places than those that css-page-3 gives them: Chromium takes the height of the root element,
 * which is that of the whole document, for the height of the area of each page.
 */
export function placesPictures(declarations: readonly Declaration[]): boolean {
  const values = declarations.filter(isPageBackground).map(({ value }) => value.replace(/url\([^)]*\)?/gi, withoutData));
  return values.some((value) => PICTURE.test(value)) && values.some((value) => PLACED.test(value));
}

function withoutData(url: string): string {
  return /svg/i.test(url) ? 'url(svg)' : 'url()';
}

export function paintsGradient(declaration: Declaration): boolean {
  return isPageBackground(declaration) && declaration.value.search(GRADIENT) >= 0;
}

/** What a background has that can be neither painted nor translated. */
export function unpaintedGradient({ value }: Declaration): string | undefined {
  return value.match(GRADIENT)?.find((gradient) => UNKNOWN.test(gradient));
}

/** All backgrounds of pages are declared again, so that none loses its place in the cascade. */
export function translateGradients(declaration: Declaration): string | undefined {
  const { property, written } = declaration;
  if (!isPageBackground(declaration)) return undefined;
  return ruleWithin(written.within, `${property}: ${written.value.replace(GRADIENT, toPicture)}`);
}

function isPageBackground(declaration: Declaration): boolean {
  return isOfPage(declaration) && /^background(?:-|$)/.test(declaration.property);
}

function toPicture(gradient: string): string {
  if (UNKNOWN.test(gradient)) return gradient;
  const box = `<div xmlns="http://www.w3.org/1999/xhtml" style="height:100%;background:${gradient}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject width="100%" height="100%">${box}</foreignObject></svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(svg.toWellFormed())}")`;
}
