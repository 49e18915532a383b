/** Invoices for tests: a sale in, its page in HTML and its XML in a profile of Factur-X out. Their sums are right. */
import type { InvoiceProfile } from '../../src/pdf/conformance/invoice-profiles.ts';

export interface Sale {
  number: string;
  /** 380 is an invoice, 381 a credit note. */
  type?: 380 | 381;
  currency?: string;
  /** The currency of the VAT with its exchange rate, if it differs. */
  taxCurrency?: { code: string; rate: number };
  lines: Array<{ name: string; quantity: number; price: number; rate: number; discount?: number }>;
  /** Discounts on the whole invoice, each with its VAT rate. */
  discounts?: Array<{ amount: number; rate: number; reason: string }>;
}

export const SALES: Record<string, Sale> = {
  plain: { number: 'R-1', lines: [{ name: 'Consulting', quantity: 8, price: 120, rate: 19 }] },
  'credit note': { number: 'G-2', type: 381, lines: [{ name: 'Returned chair', quantity: 1, price: 79.9, rate: 19 }] },
  'several rates': {
    number: 'R-3',
    lines: [
      { name: 'Book “Grüße & Küsse”', quantity: 3, price: 19.95, rate: 7 },
      { name: 'Lamp', quantity: 2, price: 45.5, rate: 19 },
      { name: 'Exported part <A>', quantity: 1, price: 10, rate: 19 },
    ],
  },
  discounts: {
    number: 'R-4',
    lines: [
      { name: 'Desk', quantity: 2, price: 250, rate: 19, discount: 50 },
      { name: 'Tea', quantity: 10, price: 4.2, rate: 7 },
    ],
    discounts: [{ amount: 20, rate: 19, reason: 'Loyalty' }],
  },
  'foreign currency': {
    number: 'R-5',
    currency: 'USD',
    taxCurrency: { code: 'EUR', rate: 0.92 },
    lines: [{ name: 'Licence', quantity: 1, price: 1_000, rate: 19 }],
  },
};

interface Sums {
  lines: number;
  allowances: number;
  basis: number;
  tax: number;
  rates: Array<{ rate: number; basis: number; tax: number }>;
}

const round = (amount: number) => Math.round(amount * 100) / 100;
const money = (amount: number) => round(amount).toFixed(2);
const sum = (amounts: number[]) => round(amounts.reduce((total, amount) => total + amount, 0));
const lineTotal = ({ quantity, price, discount = 0 }: Sale['lines'][number]) => round(quantity * price - discount);

function sumsOf({ lines, discounts = [] }: Sale): Sums {
  const rates = [...new Set(lines.map(({ rate }) => rate))].map((rate) => {
    const of = (entries: Array<{ rate: number; amount: number }>) =>
      sum(entries.filter((entry) => entry.rate === rate).map(({ amount }) => amount));
    const basis = round(of(lines.map((line) => ({ rate: line.rate, amount: lineTotal(line) }))) - of(discounts));
    return { rate, basis, tax: round((basis * rate) / 100) };
  });
  const [all, allowances] = [sum(lines.map(lineTotal)), sum(discounts.map(({ amount }) => amount))];
  return { lines: all, allowances, basis: round(all - allowances), tax: sum(rates.map(({ tax }) => tax)), rates };
}

const GUIDELINES: Record<InvoiceProfile, string> = {
  MINIMUM: 'urn:factur-x.eu:1p0:minimum',
  'BASIC WL': 'urn:factur-x.eu:1p0:basicwl',
  BASIC: 'urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic',
  'EN 16931': 'urn:cen.eu:en16931:2017',
  EXTENDED: 'urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended',
  XRECHNUNG: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
};

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const day = (date: string) => `<udt:DateTimeString format="102">${date}</udt:DateTimeString>`;
const vat = (rate: number) =>
  `<ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>${rate}</ram:RateApplicablePercent>`;

/** Returns the XML. Parts that the profile does not have are left out. */
export function invoiceXml(sale: Sale, profile: InvoiceProfile): string {
  const { number, type = 380 } = sale;
  const process =
    profile === 'XRECHNUNG'
      ? '<ram:BusinessProcessSpecifiedDocumentContextParameter><ram:ID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</ram:ID></ram:BusinessProcessSpecifiedDocumentContextParameter>'
      : '';
  const hasLines = profile !== 'MINIMUM' && profile !== 'BASIC WL';
  const items = hasLines ? sale.lines.map((line, index) => lineItem(line, index, profile)).join('') : '';
  const delivery =
    profile === 'MINIMUM'
      ? ''
      : `<ram:ActualDeliverySupplyChainEvent><ram:OccurrenceDateTime>${day('20260110')}</ram:OccurrenceDateTime></ram:ActualDeliverySupplyChainEvent>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext>${process}<ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>${GUIDELINES[profile]}</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>${number}</ram:ID><ram:TypeCode>${type}</ram:TypeCode><ram:IssueDateTime>${day('20260115')}</ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>${items}
<ram:ApplicableHeaderTradeAgreement>${parties(profile)}</ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery>${delivery}</ram:ApplicableHeaderTradeDelivery>
<ram:ApplicableHeaderTradeSettlement>${profile === 'MINIMUM' ? leastSettlement(sale) : settlement(sale, profile)}</ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
`;
}

function parties(profile: InvoiceProfile): string {
  const seller = '<ram:Name>Möbel &amp; Mehr GmbH</ram:Name>';
  const registration = '<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration>';
  const address = (line: string) =>
    `<ram:PostalTradeAddress><ram:PostcodeCode>10115</ram:PostcodeCode><ram:LineOne>${line}</ram:LineOne><ram:CityName>Berlin</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>`;
  if (profile === 'MINIMUM')
    return `<ram:SellerTradeParty>${seller}<ram:PostalTradeAddress><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>${registration}</ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>Ada Lovelace</ram:Name></ram:BuyerTradeParty>`;
  const contact =
    profile === 'XRECHNUNG'
      ? '<ram:DefinedTradeContact><ram:PersonName>Eva Muster</ram:PersonName><ram:TelephoneUniversalCommunication><ram:CompleteNumber>+49 30 123456</ram:CompleteNumber></ram:TelephoneUniversalCommunication><ram:EmailURIUniversalCommunication><ram:URIID>eva@example.com</ram:URIID></ram:EmailURIUniversalCommunication></ram:DefinedTradeContact>'
      : '';
  const mail = (address: string) =>
    `<ram:URIUniversalCommunication><ram:URIID schemeID="EM">${address}</ram:URIID></ram:URIUniversalCommunication>`;
  return `<ram:BuyerReference>04011000-12345-34</ram:BuyerReference><ram:SellerTradeParty>${seller}${contact}${address('Hauptstraße 1')}${mail('rechnung@example.com')}${registration}</ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>Ada Lovelace</ram:Name>${address('Nebenweg 2')}${mail('ada@example.com')}</ram:BuyerTradeParty>`;
}

function lineItem(line: Sale['lines'][number], index: number, profile: InvoiceProfile): string {
  const { name, quantity, price, rate, discount } = line;
  const allowance =
    discount && profile !== 'BASIC'
      ? `<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>${money(discount)}</ram:ActualAmount><ram:Reason>Discount</ram:Reason></ram:SpecifiedTradeAllowanceCharge>`
      : '';
  const unitPrice = discount && !allowance ? lineTotal(line) / quantity : price;
  return `
<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>${index + 1}</ram:LineID></ram:AssociatedDocumentLineDocument><ram:SpecifiedTradeProduct><ram:Name>${escaped(name)}</ram:Name></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>${money(unitPrice)}</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">${quantity}</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery><ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax>${vat(rate)}</ram:ApplicableTradeTax>${allowance}<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>${money(lineTotal(line))}</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>`;
}

function leastSettlement(sale: Sale): string {
  const { currency = 'EUR' } = sale;
  const { basis, tax } = sumsOf(sale);
  return `<ram:InvoiceCurrencyCode>${currency}</ram:InvoiceCurrencyCode><ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:TaxBasisTotalAmount>${money(basis)}</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="${currency}">${money(tax)}</ram:TaxTotalAmount><ram:GrandTotalAmount>${money(basis + tax)}</ram:GrandTotalAmount><ram:DuePayableAmount>${money(basis + tax)}</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>`;
}

function settlement(sale: Sale, profile: InvoiceProfile): string {
  const { currency = 'EUR', taxCurrency, discounts = [] } = sale;
  const { lines, allowances, basis, tax, rates } = sumsOf(sale);
  const taxes = rates.map(
    (each) =>
      `<ram:ApplicableTradeTax><ram:CalculatedAmount>${money(each.tax)}</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>${money(each.basis)}</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>${each.rate}</ram:RateApplicablePercent></ram:ApplicableTradeTax>`,
  );
  const off = discounts.map(
    ({ amount, rate, reason }) =>
      `<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>${money(amount)}</ram:ActualAmount><ram:Reason>${reason}</ram:Reason><ram:CategoryTradeTax>${vat(rate)}</ram:CategoryTradeTax></ram:SpecifiedTradeAllowanceCharge>`,
  );
  const foreign = taxCurrency
    ? `<ram:TaxTotalAmount currencyID="${taxCurrency.code}">${money(tax * taxCurrency.rate)}</ram:TaxTotalAmount>`
    : '';
  const terms = profile === 'BASIC WL' ? '' : '<ram:Description>Net 30 days</ram:Description>';
  return `${taxCurrency ? `<ram:TaxCurrencyCode>${taxCurrency.code}</ram:TaxCurrencyCode>` : ''}<ram:InvoiceCurrencyCode>${currency}</ram:InvoiceCurrencyCode><ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE02120300000000202051</ram:IBANID></ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>${taxes.join('')}${off.join('')}<ram:SpecifiedTradePaymentTerms>${terms}<ram:DueDateDateTime>${day('20260215')}</ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms><ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:LineTotalAmount>${money(lines)}</ram:LineTotalAmount>${discounts.length ? `<ram:AllowanceTotalAmount>${money(allowances)}</ram:AllowanceTotalAmount>` : ''}<ram:TaxBasisTotalAmount>${money(basis)}</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="${currency}">${money(tax)}</ram:TaxTotalAmount>${foreign}<ram:GrandTotalAmount>${money(basis + tax)}</ram:GrandTotalAmount><ram:DuePayableAmount>${money(basis + tax)}</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>`;
}

/** Returns the HTML of the invoice, which conforms to PDF/UA-1. */
export function invoiceHtml(sale: Sale): string {
  const { number, type = 380, currency = 'EUR' } = sale;
  const title = `${type === 381 ? 'Gutschrift' : 'Rechnung'} ${number}`;
  const { basis, tax } = sumsOf(sale);
  const rows = sale.lines.map(
    (line) => `<tr><td>${escaped(line.name)}<td>${line.quantity}<td>${money(line.price)}<td>${money(lineTotal(line))}`,
  );
  return `<!doctype html><html lang="de"><title>${title}</title><h1>${title}</h1>
<p>Möbel &amp; Mehr GmbH, <a href="https://example.com/">example.com</a></p>
<table><thead><tr><th scope="col">Artikel<th scope="col">Menge<th scope="col">Preis<th scope="col">Summe<tbody>${rows.join('')}</table>
<p>Netto ${money(basis)} ${currency}, Umsatzsteuer ${money(tax)} ${currency}, zu zahlen ${money(basis + tax)} ${currency}</p>`;
}
