/** What the functions that read the structure of a document share. */
import type { DocumentStructure } from '../../../tag-structure.ts';
import { Locator } from '../../dom/locator.ts';
import { ReadingOrder } from './reading-order.ts';

const MAX_ITEMS = 50_000;

export type ImageStructure = DocumentStructure['images'][number];

export class Reading {
  readonly order = new ReadingOrder();
  readonly locator = new Locator();
  readonly structure: DocumentStructure;

  constructor(structure: DocumentStructure) {
    this.structure = structure;
  }
}

/** Adds nothing to a list that is full. */
export function addItem<T>(list: T[], item: T): void {
  if (list.length < MAX_ITEMS) list.push(item);
}
