/**
 * Takes the contents of hidden blocks out of a document while it is printed with tags. Chromium looks at all elements for the tags of each
 * print, also at hidden ones, which takes ten times as long as a window itself. Blocks stay where they are, for selectors of siblings.
 */
import { call, findFirst, read, readName } from '../../../dom/nodes.ts';

/** What links lead to, and what would be loaded again. */
const STAYS = '[id], [name], iframe, frame, object, embed, audio, video';

export class HiddenContents {
  readonly #contents = new Map<HTMLElement, DocumentFragment>();

  takeOut(block: HTMLElement): void {
    if (this.#contents.has(block) || findFirst(block, STAYS)) return;
    const contents = document.createDocumentFragment();
    for (let child = read(block, 'firstChild'); child; child = read(block, 'firstChild')) call(contents, 'appendChild', child);
    this.#contents.set(block, contents);
  }

  putBack(block: HTMLElement): void {
    const contents = this.#contents.get(block);
    if (contents) call(block, 'appendChild', contents);
    this.#contents.delete(block);
  }

  putAllBack(): void {
    for (const block of [...this.#contents.keys()]) this.putBack(block);
  }
}

/** Custom elements notice that they are taken out. */
export function hasCustomElements(): boolean {
  for (const element of document.getElementsByTagName('*')) if (readName(element).includes('-')) return true;
  return findFirst(document.documentElement, '[is]') !== null;
}
