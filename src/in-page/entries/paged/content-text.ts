/** Computes the text that generated content shows (css-content-3). */
import { call, read } from '../../dom/nodes.ts';
import { type ContentPart, parseContent } from './content-list.ts';
import { type Snapshot, writeCounter } from './counters.ts';
import { readProperty } from './styled-elements.ts';

const MAX_TEXT = 2_000;
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
  const text = (read(element, 'textContent') ?? '')
    .replace(/[\u00AD\u200B]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (which !== 'first-letter') return text.slice(0, MAX_TEXT);
  return /^[\p{P}\s]*[\p{L}\p{N}]\p{M}*/u.exec(text)?.[0] ?? '';
}
