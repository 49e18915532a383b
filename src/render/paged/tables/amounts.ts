/** Adds decimal numbers exactly: the amounts of a column in, sums as decimal numbers out. */

/** The amounts of a column in the units of their last decimal place. */
export class Amounts {
  /** The most decimal places of an amount. */
  readonly decimals: number;
  /** The rows with their amounts, in the order of the table. */
  readonly #rows: Array<[row: number, units: bigint]>;

  /** Each amount is a decimal number such as `-12.50`. */
  constructor(amounts: ReadonlyArray<readonly [row: number, amount: string]>) {
    const decimals = amounts.map(([, amount]) => fractionOf(amount).length);
    this.decimals = decimals.reduce((most, each) => Math.max(most, each), 0);
    this.#rows = amounts.map(([row, amount]) => [row, toUnits(amount, this.decimals)]);
  }

  /** The sum up to each amount, with zero before the first. */
  running(): string[] {
    let sum = 0n;
    const sums = this.#rows.map(([, units]) => {
      sum += units;
      return this.#toDecimal(sum);
    });
    return [this.#toDecimal(0n), ...sums];
  }

  /** The sum of all. */
  sum(): string {
    return this.#toDecimal(this.#rows.reduce((sum, [, units]) => sum + units, 0n));
  }

  /** Adds the amounts of each page. Returns what sums those from a page until before another. */
  sumPages(pageOf: (row: number) => number): (from: number, until: number) => string {
    const before = [0n];
    const ofPages = new Map<number, bigint>();
    for (const [row, units] of this.#rows) ofPages.set(pageOf(row), (ofPages.get(pageOf(row)) ?? 0n) + units);
    const count = [...ofPages.keys()].reduce((most, page) => Math.max(most, page + 1), 0);
    for (let page = 0; page < count; page++) before.push((before[page] ?? 0n) + (ofPages.get(page) ?? 0n));
    const sumBefore = (page: number) => before[Math.min(page, count)] ?? 0n;
    return (from, until) => this.#toDecimal(sumBefore(until) - sumBefore(from));
  }

  /** The sum of all positive or all negative amounts. */
  total(sign: 1 | -1): string {
    const units = this.#rows.map(([, each]) => each).filter((each) => (sign === 1 ? each > 0n : each < 0n));
    return this.#toDecimal(units.reduce((sum, each) => sum + each, 0n));
  }

  #toDecimal(units: bigint): string {
    const sign = units < 0n ? '-' : '';
    const digits = (units < 0n ? -units : units).toString().padStart(this.decimals + 1, '0');
    const whole = digits.length - this.decimals;
    return sign + digits.slice(0, whole) + (this.decimals ? `.${digits.slice(whole)}` : '');
  }
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? '';
}

function toUnits(amount: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = amount.replace(/^[+-]/, '').split('.');
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return amount.startsWith('-') ? -units : units;
}
