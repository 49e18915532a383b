/** Reads and completes the URLs of pictures in style sheets. */
import type { Declaration } from './css-statements.ts';

const URLS = /url\(\s{0,9}(["']?)([^\s"'()\\]{1,2000})\1\s{0,9}\)/gi;

/** The URLs in a declaration. */
export function findPictures({ written }: Declaration): string[] {
  return Array.from(written.value.matchAll(URLS), ([, , url = '']) => url);
}

/** A rule for another place than its style sheet, where its relative URLs would lead elsewhere. */
export function withWholeUrls(rule: string, base: string | undefined): string {
  return base ? rule.replace(URLS, (_whole, _quote, url: string) => `url("${toWholeUrl(url, base)}")`) : rule;
}

/** Without a base, it is left as it is. */
export function toWholeUrl(url: string, base: string | undefined): string {
  return (base && URL.parse(url, base)?.href) || url;
}
