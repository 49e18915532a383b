/**
 * Reads the values of an invoice that its PDF needs: UN/CEFACT Cross Industry Invoice XML in, the version of its profile and its
 * date out. It does not validate the invoice. It rejects document type declarations, so entities are never expanded.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { ServiceError } from '../../errors.ts';
import { findVersion, INVOICE_PROFILES, type Invoice, type InvoiceProfile, profileGuideline } from './invoice-profiles.ts';

export interface InvoiceFacts {
  profile: InvoiceProfile;
  version: string;
  /** The date of issue (BT-2), as RFC 3339. */
  issued: string;
}

const MAX_QUOTED = 200;
const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 64;
const STANDARD = 'urn:un:unece:uncefact:data:standard';
const ROOT_SPACE = `${STANDARD}:CrossIndustryInvoice:100`;
const PREFIXES = new Map([
  [ROOT_SPACE, 'rsm'],
  [`${STANDARD}:ReusableAggregateBusinessInformationEntity:100`, 'ram'],
  [`${STANDARD}:UnqualifiedDataType:100`, 'udt'],
]);
const ROOT = 'rsm:CrossIndustryInvoice';
const EXPECTED_ROOT = `CrossIndustryInvoice in ${ROOT_SPACE}`;
const GUIDELINE = `${ROOT}/rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID`;
const ISSUED = `${ROOT}/rsm:ExchangedDocument/ram:IssueDateTime/udt:DateTimeString`;

/** Throws `invoice_invalid`. Runs in time proportional to the length of the XML. */
export function readInvoice({ xml, profile }: Invoice): InvoiceFacts {
  const texts = new InvoiceTexts();
  const parser = new SaxesParser({ xmlns: true });
  parser.on('xmldecl', ({ version, encoding = 'UTF-8' }) => {
    if (version !== '1.0') throw unusable('is not XML 1.0', version, '1.0');
    if (!/^utf-8$/i.test(encoding))
      throw unusable('says that its encoding is not that in which it is embedded', encoding, 'UTF-8');
  });
  parser.on('doctype', () => {
    throw unusable('has a document type declaration, which no invoice needs');
  });
  parser.on('opentagstart', () => texts.begin());
  parser.on('attribute', () => texts.countAttribute());
  parser.on('opentag', (tag) => texts.open(tag));
  parser.on('text', (text) => texts.add(text));
  parser.on('cdata', (text) => texts.add(text));
  parser.on('closetag', () => texts.close());
  parser.on('error', () => {
    const { line, column } = parser;
    throw unusable(`is not well-formed XML: there is an error at line ${line}, column ${column}`);
  });
  parser.write(xml).close();
  return { profile, version: requireVersion(texts.of(GUIDELINE), profile), issued: parseDate(texts.of(ISSUED)) };
}

/** Collects the texts of the guideline and issue date elements by their paths. */
class InvoiceTexts {
  readonly #path: string[] = [];
  readonly #found: Record<string, string[]> = { [GUIDELINE]: [], [ISSUED]: [] };
  #current: string[] | undefined;
  #attributes = 0;

  begin(): void {
    this.#attributes = 0;
  }

  countAttribute(): void {
    if (++this.#attributes > MAX_ATTRIBUTES) throw unusable(`has an element with more than ${MAX_ATTRIBUTES} attributes`);
  }

  open({ uri, local, attributes }: SaxesTagNS): void {
    const name = `${PREFIXES.get(uri) ?? ''}:${local}`;
    const root = `${local} in ${uri || 'no namespace'}`;
    if (!this.#path.length && name !== ROOT) throw unusable('is not a Cross Industry Invoice', root, EXPECTED_ROOT);
    if (this.#path.length >= MAX_DEPTH) throw unusable(`has elements in more than ${MAX_DEPTH} others`);
    this.#path.push(name);
    const path = this.#path.length < 6 ? this.#path.join('/') : '';
    const isDate = path !== ISSUED || attributes.format?.value === '102';
    this.#current = isDate ? this.#found[path] : undefined;
    this.#current?.push('');
  }

  add(text: string): void {
    const texts = this.#current;
    if (texts) texts[texts.length - 1] += text;
  }

  close(): void {
    this.#path.pop();
    this.#current = undefined;
  }

  /** The text of the element with this path; undefined if there is not exactly one. */
  of(path: string): string | undefined {
    const [only, ...more] = this.#found[path] ?? [];
    return more.length ? undefined : only?.trim();
  }
}

/**
 * `because` completes a sentence about the XML, such as `is not well-formed XML`. The detail has no text of the XML, since it may be
 * logged and kept in the record of an item.
 */
function unusable(because: string, found?: string, expected?: string): ServiceError {
  const detail = `options.invoice.xml ${because}${expected ? `; expected is ${expected}` : ''}`;
  return new ServiceError('invoice_invalid', detail, { members: { found: found?.slice(0, MAX_QUOTED), expected } });
}

function requireVersion(guideline: string | undefined, profile: InvoiceProfile): string {
  const version = guideline && findVersion(guideline, profile);
  if (version) return version;
  if (!guideline) throw unusable('does not name one guideline', undefined, profileGuideline(profile));
  const other = INVOICE_PROFILES.find((each) => findVersion(guideline, each));
  const because = other ? `has the guideline of the profile ${other}` : 'has the guideline of no profile of Factur-X 1.0';
  throw unusable(`${because}, and not that of ${profile}`, guideline, profileGuideline(profile));
}

/** Parses a date in format 102 of UN/EDIFACT 2379, the only one that invoices may use. */
function parseDate(text: string | undefined): string {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text ?? '') ?? [];
  const date = `${year}-${month}-${day}`;
  const isDate = !Number.isNaN(Date.parse(date)) && new Date(date).getUTCDate() === Number(day);
  if (isDate) return `${date}T00:00:00Z`;
  throw unusable('does not name one date of issue', text, 'a date such as 20260131 in the format 102');
}
