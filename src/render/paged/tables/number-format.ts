/** Writes exact sums as a language writes them: the options that a document states in, a function from decimal numbers to texts out. */
import { ServiceError } from '../../../errors.ts';
import type { FoundCarry } from '../../../in-page/contract/paged-tables.ts';

type Digits = Pick<Intl.NumberFormatOptions, 'minimumFractionDigits' | 'maximumFractionDigits'>;

/** Options that state how many decimal places there are. */
const STATES_DIGITS = /fraction|significant|notation|rounding/i;

/** Without options about them, a sum has the decimal places of its amounts, or those of its currency if they are more. Throws `print_failed`. */
export function numberFormat({ language, format, selector }: FoundCarry, decimals: number): (sum: string) => string {
  try {
    const options = JSON.parse(format || '{}') as Intl.NumberFormatOptions;
    const locale = findLocale(language);
    const digits = STATES_DIGITS.test(format) ? {} : ownDigits(locale, options, decimals);
    const formatter = new Intl.NumberFormat(locale, { ...options, ...digits });
    return (sum) => formatter.format(sum as Intl.StringNumericLiteral); // a number would be rounded
  } catch (cause) {
    const detail = `${selector}: data-carry-format must be the options of Intl.NumberFormat in JSON, such as {"style":"currency","currency":"EUR"}`;
    throw new ServiceError('print_failed', detail, { cause });
  }
}

function ownDigits(locale: string, options: Intl.NumberFormatOptions, decimals: number): Digits {
  const { style, currency } = options;
  const ofCurrency = style === 'currency' ? new Intl.NumberFormat(locale, { style, currency }).resolvedOptions() : undefined;
  const count = Math.max(decimals, ofCurrency?.maximumFractionDigits ?? 0);
  return { minimumFractionDigits: count, maximumFractionDigits: count };
}

function findLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en'; // a document may state anything as its language
  }
}
