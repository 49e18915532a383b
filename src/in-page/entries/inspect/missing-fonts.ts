/** Notes fonts that failed, and fonts that arrived after the text was laid out without them. */
import { read } from '../../dom/nodes.ts';
import { unquote } from '../../dom/text.ts';
import { findUrls, type PlacedRule } from './placed-rules.ts';
import { findUrlFault, type Note, type Place } from './places.ts';

/** A family that no document has. */
const MISSING_FAMILY = '"no such family 7f3a"';

/** `rules` are the font faces of the document. Shadow roots have no fonts of their own. */
export function noteFonts({ page, root }: Place, rules: PlacedRule[], note: Note): void {
  if (root !== page) return;
  const seen = new Map<string, number>();
  for (const face of read(page, 'fonts')) {
    const family = plainFamily(face.family);
    const n = seen.get(family) ?? 0;
    seen.set(family, n + 1); // font faces are in the order of their rules
    const own = rules.filter(({ rule }) => plainFamily(rule.style?.getPropertyValue('font-family') ?? '') === family)[n];
    const written = findUrls(own?.rule.style?.getPropertyValue('src') ?? '');
    const urls = written.map((url) => URL.parse(url, own?.base)?.href ?? url);
    const [first = `font-family: ${family}`, ...others] = urls;
    if (face.status === 'error') note(first, findUrlFault(first, own?.base ?? page.baseURI) ?? 'font', others);
    else if (face.status === 'loaded' && isUnused(face, page)) note(first, 'late');
  }
}

function plainFamily(family: string): string {
  return unquote(family).toLowerCase();
}

/** Whether a font that may be left out if it is late makes no difference to the width of text. */
function isUnused({ family, display, unicodeRange }: FontFace, page: Document): boolean {
  if (!/^(?:optional|fallback)$/.test(display) || !/^U\+0+-/i.test(unicodeRange)) return false;
  const named = `"${plainFamily(family)}"`;
  return ['monospace', 'serif'].every(
    (other) => measureWidth(`${named}, ${other}`, page) === measureWidth(`${MISSING_FAMILY}, ${other}`, page),
  );
}

function measureWidth(fonts: string, page: Document): number {
  const brush = page.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
  brush.font = `40px ${fonts}`;
  return brush.measureText('Ragtime 123').width;
}
