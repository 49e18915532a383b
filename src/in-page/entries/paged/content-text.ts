/** Computes the text that generated content shows (css-content-3). */
import { call, isElement, isText } from '../../dom/nodes.ts';
import { type ContentPart, parseContent } from './content-list.ts';
import { type Snapshot, writeCounter } from './counters.ts';
import { readProperty } from './styled-elements.ts';

const MAX_TEXT = 2_000;
/** Of what is read, more is left out in any case. White space may be most of it. */
const MAX_READ = 20_000;
const NO_TEXT = new Set(['none', 'normal']);

/** The text of a list of strings, counters and `content()` of an element. Pictures and quotes have none. */
export function contentText(parts: readonly ContentPart[], element: Element, snapshot: Snapshot | undefined): string {
  const texts = parts.map((part) => {
    if (part.kind === 'call') return callText(part, element, snapshot);
    return part.kind === 'string' ? part.text : '';
  });
  return texts.join('').slice(0, MAX_TEXT);
}

function callText({ name, args }: ContentPart & { kind: 'call' }, element: Element, snapshot: Snapshot | undefined): string {
  const [first = ''] = args;
  if (name === 'content') return elementText(element, first || 'text', snapshot);
  if (name === 'attr') return call(element, 'getAttribute', first) ?? '';
  return /^counters?$/.test(name) ? writeCounter(name, args, snapshot) : '';
}

/** What an element shows: its text, its first letter, or the text before or after it. */
export function elementText(element: Element, which: string, snapshot: Snapshot | undefined): string {
  if (which === 'before' || which === 'after') {
    const shown = readProperty(element, 'content', `::${which}`);
    return NO_TEXT.has(shown) ? '' : contentText(parseContent(shown), element, snapshot);
  }
  const text = shownText(element)
    .replace(/[\u00AD\u200B]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (which !== 'first-letter') return text.slice(0, MAX_TEXT);
  return /^[\p{P}\s]*[\p{L}\p{N}]\p{M}*/u.exec(text)?.[0] ?? '';
}

/** The text without that of elements in it that are not shown, such as footnotes. */
function shownText(element: Element): string {
  const choose = (node: Node) => (isElement(node) && getComputedStyle(node).display === 'none' ? REJECT : ACCEPT);
  const walker = call(document, 'createTreeWalker', element, ELEMENTS_AND_TEXTS, choose);
  let text = '';
  for (let node = walker.nextNode(); node && text.length < MAX_READ; node = walker.nextNode())
    if (isText(node)) text += node.data;
  return text.slice(0, MAX_READ);
}

// As in `NodeFilter`.
const [ACCEPT, REJECT, ELEMENTS_AND_TEXTS] = [1, 2, 5];
