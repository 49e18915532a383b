/** Lists, which the service answers page by page. */
import type { Query, Transport } from './transport.ts';

/** The parameters of every list. */
export interface ListParameters {
  /** How many records one page has, from 1 to 100. Default: 20. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

/** Parameters of lists of what may have metadata. */
export interface MetadataFilter extends ListParameters {
  /** Only records that have these names and values. */
  metadata?: Record<string, string>;
}

export interface Page<Item> {
  data: Item[];
  has_more: boolean;
  next_cursor: string | null;
}

/** All records, newest first, when iterated over; one page of them by `page`. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: Query & ListParameters;

  constructor(transport: Transport, path: string, query: object = {}) {
    this.#transport = transport;
    this.#path = path;
    this.#query = { ...query };
  }

  /** The first page, or the one after `cursor`. */
  page(cursor = this.#query.cursor): Promise<Page<Item>> {
    return this.#transport.json(this.#path, { query: { ...this.#query, cursor } });
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    let page = await this.page();
    for (;;) {
      yield* page.data;
      if (!page.has_more || page.next_cursor === null) return;
      page = await this.page(page.next_cursor);
    }
  }
}
