/** Walks over the text of a document and its shadow roots. */
import { withShadows } from './roots.ts';

const SHOW_TEXT = 4; // NodeFilter.SHOW_TEXT
const MAX_TEXTS = 200_000;

/** Yields text nodes. `looks` is as for `withShadows`. */
export function* textNodes(looks: boolean): Generator<Text> {
  let n = 0;
  for (const root of withShadows(document, looks)) {
    for (const text of findTexts(root)) {
      if (n++ >= MAX_TEXTS) return;
      yield text;
    }
  }
}

export function* findTexts(root: Node): Generator<Text> {
  const walker = document.createTreeWalker(root, SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) yield text as Text;
}

export function firstFamily(list: string): string {
  const [, quoted, bare] = /^\s*(?:"([^"]{0,200})"|([^,"]{0,200}))/.exec(list) ?? [];
  return (quoted ?? bare ?? '').trim();
}

export function unquote(family: string): string {
  return family.replace(/^["']|["']$/g, '');
}
