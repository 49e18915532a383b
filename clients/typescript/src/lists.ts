/** Lists, which the service returns page by page. */
import type { Query, Transport } from './transport.ts';

/** The parameters of every list. */
export interface ListParameters {
  /** Number of records in a page, from 1 to 100. Default: 20. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** The parameters of lists whose records may have metadata. */
export interface MetadataFilter extends ListParameters {
  /** Returns only records with these names and values. */
  metadata?: Record<string, string>;
}

export interface Page<Item> {
  data: Item[];
  has_more: boolean;
  next_cursor: string | null;
}

/** A list. Iterate over it for all records, newest first, or call `page` for one page. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: Query & ListParameters;

  constructor(transport: Transport, path: string, query: object = {}) {
    this.#transport = transport;
    this.#path = path;
    this.#query = { ...query };
  }

  /** Returns the first page, or the page after `cursor`. */
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
