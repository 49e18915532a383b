/** Finds the style sheets that markup links and that were sent with it: a document in, the texts of its sheets out. */
import { decodeHTMLAttribute } from 'entities';
import type { Content } from '../load-settings.ts';
import { tagsOf } from './html-tags.ts';

/** The base of relative URLs, only to find paths. */
const BASE = 'http://assets.invalid/';
const SCREEN_ONLY = /^(?!.*\b(?:print|all)\b).*\S/i;

/** Sheets for other media are left out, and so are those that import sheets import. */
export function linkedStyles(content: Content): string[] {
  if (content.kind === 'url' || !content.assets || !/stylesheet/i.test(content.html)) return [];
  const { html, assets } = content;
  return Array.from(tagsOf(html), ({ tag }) => tag).flatMap(({ name, attributes }) => {
    const { rel = '', href = '', media = '' } = name === 'link' ? (Object.fromEntries(attributes) as Record<string, string>) : {};
    if (!/\bstylesheet\b/i.test(rel) || /\balternate\b/i.test(rel) || SCREEN_ONLY.test(media)) return [];
    const path = pathOf(decodeHTMLAttribute(href));
    return (path && assets.get(path)?.content.toString()) || [];
  });
}

function pathOf(href: string): string {
  const url = URL.parse(href, BASE);
  try {
    return url?.href.startsWith(BASE) ? decodeURIComponent(url.pathname.slice(1)) : '';
  } catch {
    return '';
  }
}
