/** Adds the style or script of a caller to the document. */
import type { AddedElement } from '../contract/questions.ts';

/** Its promise resolves when the element has loaded, and rejects if that fails. */
export async function addElement({ element, from, type }: AddedElement): Promise<null> {
  if (type === 'module' && 'content' in from) {
    await import(`data:text/javascript,${encodeURIComponent(from.content)}`); // an inline module has no event that tells when it has run
    return null;
  }
  const node = element === 'style' ? styleFrom(from) : scriptFrom(from);
  if (type) node.type = type;
  const loaded = new Promise<null>((resolve, reject) => {
    node.addEventListener('load', () => resolve(null));
    node.addEventListener('error', () => reject(new Error(`${'url' in from ? from.url : 'the content'} could not be loaded`)));
    if (element === 'script' && 'content' in from) resolve(null);
  });
  (document.head ?? document.documentElement ?? document).append(node);
  return loaded;
}

function styleFrom(from: AddedElement['from']): HTMLStyleElement | HTMLLinkElement {
  const node = document.createElement('url' in from ? 'link' : 'style');
  return 'url' in from
    ? Object.assign(node, { rel: 'stylesheet', href: from.url })
    : Object.assign(node, { textContent: from.content });
}

function scriptFrom(from: AddedElement['from']): HTMLScriptElement {
  return Object.assign(document.createElement('script'), 'url' in from ? { src: from.url } : { textContent: from.content });
}
