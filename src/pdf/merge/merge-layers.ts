/** Joins the layers (optional content) of merged PDFs (ISO 32000-1, 8.11.4). */
import { PdfArray, PdfDict, type PdfObject } from '@libpdf/core';
import type { PdfReader } from '../objects/pdf-reader.ts';

interface Source extends PdfReader {
  /** Copies a value and replaces the object numbers of all references. */
  copyValue(value: PdfObject): PdfObject;
}

/** The lists of a configuration that name layers. */
const LISTS = ['ON', 'OFF', 'Order', 'RBGroups', 'Locked', 'AS'] as const;

export class MergedLayers {
  readonly #groups: PdfObject[] = [];
  readonly #lists = new Map<string, PdfObject[]>(LISTS.map((name) => [name, []]));

  join(source: Source, catalog: PdfDict): void {
    const layers = source.dict(catalog, 'OCProperties');
    const groups = source.list(layers, 'OCGs');
    if (!groups.length) return;
    const copy = (value: PdfObject) => source.copyValue(value);
    this.#groups.push(...groups.map(copy));
    const shown = source.dict(layers, 'D');
    for (const name of LISTS) this.#lists.get(name)?.push(...source.list(shown, name).map(copy));
    if (source.name(shown, 'BaseState') !== 'OFF') return;
    const on = new Set(source.list(shown, 'ON'));
    this.#lists.get('OFF')?.push(...groups.filter((group) => !on.has(group)).map(copy));
  }

  /** Undefined if no PDF has layers. */
  end(): PdfDict | undefined {
    if (!this.#groups.length) return undefined;
    const lists = [...this.#lists].filter(([, list]) => list.length).map(([name, list]) => [name, PdfArray.of(...list)] as const);
    return PdfDict.of({ OCGs: PdfArray.of(...this.#groups), D: PdfDict.of(Object.fromEntries(lists)) });
  }
}
