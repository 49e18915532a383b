/** Records elements that failed to load their resource, for which the network has no failed request. */
import { apply } from '../dom/built-ins.ts';
import type { PreparedWindow } from '../dom/prepared-window.ts';
import { keepListening } from './listening.ts';

const MAX_FAILED = 1_000;
const MAX_CHARACTERS = 500;
const RECORDED = ['script', 'object', 'embed', 'video', 'audio', 'source', 'image', 'feImage', 'input'];
const ADDRESSES = ['src', 'data', 'href', 'xlink:href'];

const { addEventListener } = EventTarget.prototype;
const failed: PreparedWindow['failed'] = [];

/** Returns the list, which grows. */
export function recordFailedElements(): PreparedWindow['failed'] {
  keepListening(() => window.addEventListener('error', note, true));
  return failed;
}

/** Call it with each shadow root, because error events do not leave it. */
export function listenIn(root: ShadowRoot): void {
  apply(addEventListener, root, ['error', note, true]);
}

function note({ target }: Event): void {
  const element = target as Partial<Element> | null;
  if (!RECORDED.includes(element?.localName ?? '') || failed.length >= MAX_FAILED) return;
  const address = ADDRESSES.map((name) => element?.getAttribute?.(name)).find(Boolean) ?? '';
  failed.push([element as Element, address.slice(0, MAX_CHARACTERS)]);
}
