/** Invoice XML: reads the relevant parts, and quickly rejects hostile XML or another profile. */
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { INVOICE_PROFILES, type InvoiceProfile } from '../../src/pdf/conformance/invoice-profiles.ts';
import { readInvoice } from '../../src/pdf/conformance/read-invoice.ts';
import { invoiceXml, SALES, type Sale } from '../support/invoices.ts';

const SALE = SALES.plain as Sale;
const XML = invoiceXml(SALE, 'EN 16931');
const GUIDELINE = '<ram:ID>urn:cen.eu:en16931:2017</ram:ID>';
const DATE = '<udt:DateTimeString format="102">20260115</udt:DateTimeString>';
const END = '</rsm:CrossIndustryInvoice>';

/** Returns what the error says about the XML, without what is expected of it. */
function refusal(xml: string, profile: InvoiceProfile = 'EN 16931'): { message: string; found: unknown } {
  try {
    readInvoice({ xml, profile });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invoice_invalid') throw error;
    const [, message = ''] = /^options\.invoice\.xml (.*?)(?:; expected is .*)?$/.exec(error.message) ?? [];
    return { message, found: error.members.found };
  }
  throw new Error('it was accepted');
}

test.each(INVOICE_PROFILES)('accepts an invoice only as its profile %s', (profile) => {
  const xml = invoiceXml(SALE, profile);
  const version = profile === 'XRECHNUNG' ? '3.0' : '1.0';
  expect(readInvoice({ xml, profile })).toEqual({ profile, version, issued: '2026-01-15T00:00:00Z' });
  for (const other of INVOICE_PROFILES.filter((each) => each !== profile))
    expect(refusal(xml, other).message).toBe(`has the guideline of the profile ${profile}, and not that of ${other}`);
});

test.each([
  ['urn:xeinkauf.de:kosit:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0', '3.0'],
  ['urn:xoev-de:kosit:standard:xrechnung_2.3', '2.3'],
])('accepts %s as a guideline of XRechnung', (guideline, version) => {
  const xml = XML.replace(GUIDELINE, `<ram:ID> urn:cen.eu:en16931:2017#compliant#${guideline}\n</ram:ID>`);
  expect(readInvoice({ xml, profile: 'XRECHNUNG' }).version).toBe(version);
});

test('ignores prefixes, comments, character data sections and a byte order mark', () => {
  const xml = XML.replaceAll('ram:', 'x:')
    .replace('xmlns:ram', 'xmlns:x')
    .replace('urn:cen.eu:en16931:2017<', 'urn:cen<!-- y -->.eu:<![CDATA[en16931]]>:2017<');
  expect(readInvoice({ xml: `\uFEFF${xml}`, profile: 'EN 16931' }).issued).toBe('2026-01-15T00:00:00Z');
});

test.each([
  ['another root', '<Invoice xmlns="urn:oasis:names:UBL"/>', 'is not a Cross Industry Invoice', 'Invoice in urn:oasis:names:UBL'],
  [
    'a root in no namespace',
    '<CrossIndustryInvoice/>',
    'is not a Cross Industry Invoice',
    'CrossIndustryInvoice in no namespace',
  ],
  ['an unknown guideline', XML.replace(GUIDELINE, '<ram:ID>urn:x</ram:ID>'), 'has the guideline of no profile', 'urn:x'],
  ['no guideline', XML.replace(GUIDELINE, ''), 'does not name one guideline', undefined],
  ['two guidelines', XML.replace(GUIDELINE, GUIDELINE.repeat(2)), 'does not name one guideline', undefined],
  ['no date', XML.replace(DATE, ''), 'does not name one date of issue', undefined],
  ['a day that is not', XML.replace('20260115', '20260230'), 'does not name one date of issue', '20260230'],
  ['a date in another format', XML.replace('format="102"', 'format="610"'), 'does not name one date of issue', undefined],
  ['another encoding', XML.replace('UTF-8', 'ISO-8859-1'), 'encoding', 'ISO-8859-1'],
  ['XML 1.1', XML.replace('version="1.0"', 'version="1.1"'), 'is not XML 1.0', '1.1'],
])('rejects %s and quotes it', (_, xml, message, found) => {
  const error = refusal(xml);
  expect(error.message).toContain(message);
  expect(error.found).toBe(found);
});

test.each(['', 'Hello', '{}', '<a>', XML.slice(0, -5), `${XML}<b/>`, XML.replace(GUIDELINE, '<ram:ID>&nbsp;</ram:ID>')])(
  'rejects malformed text %# with the position of the error',
  (xml) => {
    expect(refusal(xml).message).toMatch(/^is not (well-formed XML: there is an error at line \d+, column \d+|a Cross)/);
  },
);

test('quotes at most 200 characters of an invalid value', () => {
  expect(refusal(XML.replace(GUIDELINE, `<ram:ID>${'x'.repeat(5_000)}</ram:ID>`)).found).toHaveLength(200);
});

describe('hostile XML', () => {
  const laughs = Array.from({ length: 30 }, (_, index) => `<!ENTITY l${index + 1} "&l${index};&l${index};&l${index};">`);
  test.each([
    ['exponential entities', `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs.join('')}]>`],
    ['an external entity', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'],
    ['an external subset', '<!DOCTYPE x SYSTEM "http://example.com/x.dtd">'],
  ])('rejects a document type declaration with %s', (_, doctype) => {
    expect(refusal(doctype + XML.replace(/^.*\?>/, '')).message).toMatch(/document type declaration/);
  });

  test.each([
    ['nested elements', XML.replace(END, '<a>'.repeat(1_000_000)), 'has elements in more than 64 others'],
    ['attributes', XML.replace(END, `<a ${Array.from({ length: 300_000 }, (_, n) => `a${n}=""`).join(' ')}/>`), 'attributes'],
  ])('rejects hundreds of thousands of %s at the limit', (_, xml, message) => {
    expect(refusal(xml).message).toContain(message);
  });
});
