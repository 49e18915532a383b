/** Places links over prepared controls, which give their positions in the PDF. */
import { call, read } from '../../dom/nodes.ts';
import type { PreparedControl } from './prepared-control.ts';

const HTML = 'http://www.w3.org/1999/xhtml';

/** Adds styles for the links, and for what else must not be printed of prepared controls. */
export function addFieldStyles(): void {
  const sheet = new CSSStyleSheet();
  const hidden = ['[data-platen-field]::placeholder'];
  const still = '[data-platen-field]::before, [data-platen-field]::after { transition: none !important }';
  const marks = ['[data-platen-marked]::before', '[data-platen-marked]::after'];
  const link = 'a[data-platen-link][data-platen-link][data-platen-link]'; // more specific than most rules for links
  const rules = [...hidden, ...marks].map((selector) => `${selector} { visibility: hidden !important }`);
  sheet.replaceSync(`${rules.join(' ')} ${still} ${link}::before, ${link}::after { content: none !important }`);
  const adopted = [...read(document, 'adoptedStyleSheets'), sheet];
  Reflect.set(Document.prototype, 'adoptedStyleSheets', adopted, document); // an element may have this name
}

/** Appends the links after the body, where they affect neither the layout nor most selectors. Returns the element that holds them. */
export function addFieldLinks(all: PreparedControl[], key: string): HTMLElement {
  const holder = createElement('div');
  holder.setAttribute('aria-hidden', 'true');
  holder.style.setProperty('all', 'initial', 'important');
  for (const [number, prepared] of all.entries()) {
    const name = `--${key}-${number}`;
    const own = getComputedStyle(prepared.control).getPropertyValue('anchor-name');
    prepared.setStyle(prepared.control, { 'anchor-name': own && own !== 'none' ? `${own}, ${name}` : name });
    prepared.link = createLink(`${key}:${number}`, name);
    holder.append(prepared.link);
  }
  read(document, 'documentElement').append(holder);
  return holder;
}

/** Creates a link that lies over the element with the name as an anchor. */
function createLink(href: string, anchor: string): HTMLElement {
  const link = createElement('a');
  link.setAttribute('data-platen-link', '');
  link.setAttribute('href', href);
  const place = { top: 'anchor(top)', left: 'anchor(left)', width: 'anchor-size(width)', height: 'anchor-size(height)' };
  const look: Record<string, string> = { all: 'initial', position: 'absolute', 'position-anchor': anchor, ...place };
  for (const [property, value] of Object.entries(look)) link.style.setProperty(property, value, 'important');
  return link;
}

function createElement(name: string): HTMLElement {
  return call(document, 'createElementNS', HTML, name) as HTMLElement;
}
