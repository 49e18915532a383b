/** Finds external resources in the markup of a header or footer: HTML in, the first external address that it would load out. */

export interface Tag {
  name: string;
  attributes: Array<[name: string, value: string]>;
}

const NAME = /[a-z][^\s/>]*/iy;
const ATTRIBUTE = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;
/** Elements whose content is text up to their end tag, even if it looks like tags. */
const TEXT_END: Record<string, RegExp> = {
  style: /<\/style/gi,
  script: /<\/script/gi,
  textarea: /<\/textarea/gi,
  title: /<\/title/gi,
};
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
  for (const { tag, text } of tagsOf(html)) {
    for (const [name, value] of tag.attributes) {
      const address = addressIn(tag.name, name, value);
      if (address !== undefined) return `<${tag.name} ${name}>: ${hostOf(address)}`;
    }
    const inStyle = tag.name === 'style' ? addressInCss(text) : undefined;
    if (inStyle !== undefined) return `<style>: ${hostOf(inStyle)}`;
  }
  return undefined;
}

/** The start tags in order, each with its text if it is a raw text element. */
export function* tagsOf(html: string): Generator<{ tag: Tag; text: string }> {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      at = endOf(html, '-->', at + 4);
      continue;
    }
    NAME.lastIndex = ++at;
    const name = NAME.exec(html)?.[0].toLowerCase();
    if (name === undefined) continue;
    const { attributes, end } = readAttributes(html, NAME.lastIndex);
    const textEnd = TEXT_END[name] ? searchFrom(html, TEXT_END[name], end) : end;
    yield { tag: { name, attributes }, text: html.slice(end, textEnd) };
    at = textEnd;
  }
}

function readAttributes(html: string, from: number): { attributes: Tag['attributes']; end: number } {
  const attributes: Tag['attributes'] = [];
  ATTRIBUTE.lastIndex = from;
  let end = from;
  for (let found = ATTRIBUTE.exec(html); found; found = ATTRIBUTE.exec(html)) {
    const [, name = '', ...values] = found;
    attributes.push([name.toLowerCase(), values.find((value) => value !== undefined) ?? '']);
    end = ATTRIBUTE.lastIndex;
  }
  return { attributes, end };
}

function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

function searchFrom(html: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

function addressIn(element: string, attribute: string, value: string): string | undefined {
  if (STYLING.includes(attribute)) return addressInCss(value);
  if (!LOADING.includes(attribute) || LINKS.includes(element)) return undefined;
  const text = value.replace(/[\t\n\r]/g, attribute.endsWith('srcset') ? ' ' : ''); // URL parsers drop these characters
  const candidates = attribute.endsWith('srcset') ? text.split(/[\s,]+/) : [text.trim()];
  return candidates.find((candidate) => EXTERNAL.test(candidate));
}

function addressInCss(css: string): string | undefined {
  const [first = '', ...rest] = css.split('/*');
  const withoutComments = [first, ...rest.map((part) => part.slice(endOf(part, '*/', 0)))].join(' ');
  return EXTERNAL_IN_CSS.exec(withoutComments)?.[1];
}

/** The host without path and query, which may contain secrets. */
function hostOf(address: string): string {
  const { protocol = '', host = '' } = URL.parse(address, 'https://none.invalid') ?? {};
  return host ? `${protocol}//${host}`.slice(0, MAX_SHOWN) : 'an external URL';
}
