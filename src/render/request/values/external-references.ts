/**
 * Finds external resources in the markup of a header or footer: HTML in, the first external address that it would load, or the markup
 * without those addresses, out.
 */

import { readTags, type Tag } from '../../../chromium/load/html/html-tags.ts';

export const LOADING = ['src', 'srcset', 'imagesrcset', 'data', 'poster', 'background', 'href', 'xlink:href'];
export const LINKS = ['a', 'area'];
export const STYLING = ['style', 'fill', 'stroke', 'filter', 'mask', 'clip-path', 'cursor'];
const EXTERNAL = /^(?:https?:|[\\/]{2})/i;
const EXTERNAL_IN_CSS = /(?:(?:url|image-set)\(\s*["']?|@import\s+["'])((?:https?:|[\\/]{2})[^"')\s]*)/i;
const MAX_SHOWN = 100;

/**
 * Returns the element and the host, such as `<img src>: https://cdn.example.com`. Takes linear time. It does not find URLs
 * written with character references.
 */
export function externalReference(html: string): string | undefined {
  for (const { tag, text } of readTags(html)) {
    for (const [name, value] of tag.attributes) {
      const address = findAddress(tag.name, name, value);
      if (address !== undefined) return `<${tag.name} ${name}>: ${addressHost(address)}`;
    }
    const inStyle = tag.name === 'style' ? addressInCss(text) : undefined;
    if (inStyle !== undefined) return `<style>: ${addressHost(inStyle)}`;
  }
  return undefined;
}

/** Removes what `externalReference` finds: attributes, and addresses in styles. */
export function withoutExternalReferences(html: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { tag, text, start, end } of readTags(html)) {
    if (tag.attributes.some(([name, value]) => findAddress(tag.name, name, value) !== undefined)) {
      parts.push(html.slice(at, start), writeWithoutAddresses(tag));
      at = end;
    }
    if (tag.name !== 'style' || addressInCss(text) === undefined) continue;
    parts.push(html.slice(at, end), cssWithoutAddresses(text));
    at = end + text.length;
  }
  return parts.join('') + html.slice(at);
}

function writeWithoutAddresses({ name, attributes }: Tag): string {
  const local = attributes.flatMap(([attribute, given]) => {
    const value = STYLING.includes(attribute) ? cssWithoutAddresses(given) : given;
    return findAddress(name, attribute, value) === undefined ? [` ${attribute}="${value.replaceAll('"', '&quot;')}"`] : [];
  });
  return `<${name}${local.join('')}>`;
}

/** What stands for an address loads nothing. */
function cssWithoutAddresses(css: string): string {
  return css.replace(new RegExp(EXTERNAL_IN_CSS, 'gi'), (found, address: string) => `${found.slice(0, -address.length)}data:,`);
}

function findEnd(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

function findAddress(element: string, attribute: string, value: string): string | undefined {
  if (STYLING.includes(attribute)) return addressInCss(value);
  if (!LOADING.includes(attribute) || LINKS.includes(element)) return undefined;
  const text = value.replace(/[\t\n\r]/g, attribute.endsWith('srcset') ? ' ' : ''); // URL parsers drop these characters
  const candidates = attribute.endsWith('srcset') ? text.split(/[\s,]+/) : [text.trim()];
  return candidates.find((candidate) => EXTERNAL.test(candidate));
}

function addressInCss(css: string): string | undefined {
  const [first = '', ...rest] = css.split('/*');
  const withoutComments = [first, ...rest.map((part) => part.slice(findEnd(part, '*/', 0)))].join(' ');
  return EXTERNAL_IN_CSS.exec(withoutComments)?.[1];
}

/** The host without path and query, which may contain secrets. */
function addressHost(address: string): string {
  const { protocol = '', host = '' } = URL.parse(address, 'https://none.invalid') ?? {};
  return host ? `${protocol}//${host}`.slice(0, MAX_SHOWN) : 'an external URL';
}
