/** Finds the style sheets that markup links and that were sent with it: a document in, the texts of its sheets out. */
import { decodeHTMLAttribute } from 'entities';
import { toAssetPath } from '../../../egress/hosted-assets.ts';
import type { Content } from '../load-settings.ts';
import { readTags } from './html-tags.ts';

/** The base of relative URLs, only to find paths. */
const BASE = 'http://assets.invalid/';
const SCREEN_ONLY = /^(?!.*\b(?:print|all)\b).*\S/i;

/** Each sheet once. Sheets for other media are left out, and so are those that import sheets import. */
export function findLinkedStyles(content: Content): string[] {
  if (content.kind === 'url' || !content.assets || !/stylesheet/i.test(content.html)) return [];
  const { html, assets } = content;
  return Array.from(new Set(linkedPaths(html)), (path) => assets.get(path)?.content.toString() ?? '');
}

function* linkedPaths(html: string): Generator<string> {
  for (const { tag } of readTags(html)) {
    if (tag.name !== 'link') continue;
    const { rel = '', href = '', media = '' } = Object.fromEntries(tag.attributes) as Record<string, string>;
    if (!/\bstylesheet\b/i.test(rel) || /\balternate\b/i.test(rel) || SCREEN_ONLY.test(media)) continue;
    const url = URL.parse(decodeHTMLAttribute(href), BASE);
    const path = url?.href.startsWith(BASE) && toAssetPath(url);
    if (path) yield path;
  }
}
