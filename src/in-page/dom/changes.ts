/** Changes to a document that can be taken back. */
import { call, read, readAttribute, writeAttribute } from './nodes.ts';

export class Changes {
  #undo: Array<() => void> = [];

  /** Adds what takes a change back. */
  add(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Removes the attribute if the value is null. */
  setAttribute(element: Element, name: string, value: string | null): void {
    const before = readAttribute(element, name);
    writeAttribute(element, name, value);
    this.#undo.push(() => writeAttribute(element, name, before));
  }

  setStyle(element: HTMLElement | SVGElement, property: string, value: string): void {
    const before = readAttribute(element, 'style');
    read(element, 'style').setProperty(property, value, 'important');
    this.#undo.push(() => writeAttribute(element, 'style', before));
  }

  append(parent: Element, added: Element): void {
    call(parent, 'append', added);
    this.#undo.push(() => added.remove());
  }

  /** Takes all changes back, the last first. */
  undo(): void {
    for (const each of this.#undo.toReversed()) each();
    this.#undo = [];
  }
}
