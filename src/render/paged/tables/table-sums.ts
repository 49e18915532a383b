/** Computes what the sums of a table show: what the table states in, texts by page out. */
import { type FoundCarry, type FoundTable, MAX_RESERVED } from '../../../in-page/contract/paged-tables.ts';
import { Amounts } from './amounts.ts';
import { numberFormat } from './number-format.ts';

/** The pages of a row. */
export type PageOfRow = (row: number) => number;

export class TableSums {
  readonly #carries: readonly FoundCarry[];
  readonly #columns: ReadonlyMap<string, Amounts>;
  #pageOf: PageOfRow = () => 0;
  /** What sums the amounts of a column from a page until before another. */
  readonly #pages = new Map<string, (from: number, until: number) => string>();
  readonly #formats: ReadonlyArray<(sum: string) => string>;

  /** Throws `print_failed` if a format is not valid. */
  constructor({ columns, carries }: FoundTable) {
    this.#carries = carries;
    this.#columns = new Map(Object.entries(columns).map(([name, amounts]) => [name, new Amounts(amounts)]));
    this.#formats = carries.map((carry) => numberFormat(carry, this.#amounts(carry).decimals));
  }

  /** For each sum, its value at the end of the table and the longest texts that it may show. */
  reserved(): string[][] {
    const known = new Map<string, string[]>();
    return this.#carries.map((carry, number) => {
      const key = JSON.stringify([carry.column, carry.at === 'page', carry.language, carry.format]);
      const same = known.get(key);
      if (same) return same;
      const format = this.#format(number);
      const sums = carry.at === 'page' ? this.#ofPages(carry) : this.#amounts(carry).running();
      const texts = [...new Set(sums)].map(format).sort((a, b) => b.length - a.length);
      const reserved = [format(this.#amounts(carry).sum()), ...texts.slice(0, MAX_RESERVED - 1)];
      known.set(key, reserved);
      return reserved;
    });
  }

  /** What a sum shows on a page. */
  text(number: number, page: number): string {
    const carry = this.#carries[number] as FoundCarry;
    const sum = this.#pages.get(carry.column) ?? this.#amounts(carry).sumPages(this.#pageOf);
    this.#pages.set(carry.column, sum);
    return this.#format(number)(sum(carry.at === 'page' ? page : 0, carry.at === 'start' ? page : page + 1));
  }

  /** Tells on which pages the rows are. */
  place(pageOf: PageOfRow): void {
    this.#pageOf = pageOf;
    this.#pages.clear();
  }

  /** The sum of any page is at most as long as these: all that is added, and all that is subtracted. */
  #ofPages(carry: FoundCarry): string[] {
    const amounts = this.#amounts(carry);
    return [...amounts.running(), amounts.total(1), amounts.total(-1)];
  }

  #amounts({ column }: FoundCarry): Amounts {
    return this.#columns.get(column) ?? new Amounts([]);
  }

  #format(number: number): (sum: string) => string {
    return this.#formats[number] ?? String;
  }
}
