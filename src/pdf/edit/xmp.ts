/** Writes the XMP packet of a PDF: the values of its information dictionary in, XML out (ISO 16684-1). */
import { PdfName, PdfStream } from '@libpdf/core';
import { invoiceFilename } from '../conformance/invoice-profiles.ts';
import type { Claims } from '../conformance/profiles.ts';
import type { InvoiceFacts } from '../conformance/read-invoice.ts';

/** Dates are as in RFC 3339. Texts contain only characters that XML allows. */
export interface DocumentFacts {
  title?: string | undefined;
  author?: string | undefined;
  subject?: string | undefined;
  keywords?: string[];
  creator: string;
  producer: string;
  creationDate?: string | undefined;
  modDate?: string | undefined;
  custom?: Array<[name: string, text: string]>;
}

/** The packet as the metadata of a PDF (ISO 32000-1, 14.3.2). */
export function xmpStream(...facts: Parameters<typeof xmpPacket>): PdfStream {
  const entries = { Type: PdfName.of('Metadata'), Subtype: PdfName.of('XML') };
  return PdfStream.fromDict(entries, Buffer.from(xmpPacket(...facts)));
}

function xmpPacket(facts: DocumentFacts, claims?: Claims, invoice?: InvoiceFacts): string {
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
${properties(facts).join('\n')}
</rdf:Description>${customProperties(facts)}${claims ? conformance(claims) : ''}${invoice ? invoiceProperties(invoice) : ''}${extensions(claims, invoice)}
</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

/** What Adobe writes for a space, which no name of XML has. */
const ESCAPED_SPACE = '\u21820020';

/** Entries of the information dictionary that no schema defines, in the namespace that Adobe uses for them. */
function customProperties({ custom = [] }: DocumentFacts): string {
  if (!custom.length) return '';
  return `
<rdf:Description rdf:about="" xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/">
${custom.map(([name, text]) => element(`pdfx:${name.replaceAll(' ', ESCAPED_SPACE)}`, text)).join('\n')}
</rdf:Description>`;
}

/** The identification of the PDF/A and PDF/UA parts that the PDF claims. */
function conformance({ archive, accessible }: Claims): string {
  const properties = [
    element('pdfaid:part', archive?.part.toString()),
    element('pdfaid:conformance', archive?.level || undefined),
    element('pdfaid:rev', archive?.part === 4 ? '2020' : undefined),
    element('pdfuaid:part', accessible?.toString()),
    element('pdfuaid:rev', accessible === 2 ? '2024' : undefined),
  ].filter(Boolean);
  return `
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
${properties.join('\n')}
</rdf:Description>`;
}

/** The properties of an invoice (Factur-X 1.0, 6.2.2). */
function invoiceProperties({ profile, version }: InvoiceFacts): string {
  return `
<rdf:Description rdf:about="" xmlns:fx="${INVOICE_SCHEMA.namespace}">
${element('fx:DocumentType', 'INVOICE')}
${element('fx:DocumentFileName', invoiceFilename(profile))}
${element('fx:Version', version)}
${element('fx:ConformanceLevel', profile)}
</rdf:Description>`;
}

/** A schema that PDF/A does not define, so that the file must describe it (ISO 19005-2, 6.6.2.3). PDF/A-4 does not require this. */
interface ExtensionSchema {
  name: string;
  namespace: string;
  prefix: string;
  properties: Array<[name: string, type: string, category: string, description: string]>;
}

const UA_SCHEMA: ExtensionSchema = {
  name: 'PDF/UA identification schema',
  namespace: 'http://www.aiim.org/pdfua/ns/id/',
  prefix: 'pdfuaid',
  properties: [['part', 'Integer', 'internal', 'The part of ISO 14289 to which the document conforms']],
};

const INVOICE_SCHEMA: ExtensionSchema = {
  name: 'Factur-X PDFA Extension Schema',
  namespace: 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#',
  prefix: 'fx',
  properties: [
    ['DocumentFileName', 'Text', 'external', 'The name of the embedded XML document'],
    ['DocumentType', 'Text', 'external', 'The type of the hybrid document, such as INVOICE'],
    ['Version', 'Text', 'external', 'The version of the standard that the embedded XML document follows'],
    ['ConformanceLevel', 'Text', 'external', 'The profile of the embedded XML document'],
  ],
};

/** The extension schemas share one property, because a property can occur only once. */
function extensions(claims: Claims | undefined, invoice: InvoiceFacts | undefined): string {
  if (!claims?.archive || claims.archive.part === 4) return '';
  const schemas = [...(claims.accessible ? [UA_SCHEMA] : []), ...(invoice ? [INVOICE_SCHEMA] : [])];
  if (!schemas.length) return '';
  return `
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag>${schemas.map(extension).join('\n')}</rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`;
}

function extension({ name, namespace, prefix, properties }: ExtensionSchema): string {
  const described = properties.map(
    ([property, type, category, description]) => `<rdf:li rdf:parseType="Resource">
<pdfaProperty:name>${property}</pdfaProperty:name>
<pdfaProperty:valueType>${type}</pdfaProperty:valueType>
<pdfaProperty:category>${category}</pdfaProperty:category>
<pdfaProperty:description>${description}</pdfaProperty:description>
</rdf:li>`,
  );
  return `<rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>${name}</pdfaSchema:schema>
<pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>${prefix}</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>${described.join('\n')}</rdf:Seq></pdfaSchema:property>
</rdf:li>`;
}

function properties(facts: DocumentFacts): string[] {
  const { title, author, subject, keywords = [], creator, producer, creationDate, modDate } = facts;
  return [
    element('dc:format', 'application/pdf'),
    list('dc:title', 'Alt', title),
    list('dc:creator', 'Seq', author),
    list('dc:description', 'Alt', subject),
    list('dc:subject', 'Bag', ...keywords),
    element('pdf:Keywords', keywords.length ? keywords.join(', ') : undefined),
    element('pdf:Producer', producer),
    element('xmp:CreatorTool', creator),
    element('xmp:CreateDate', creationDate),
    element('xmp:ModifyDate', modDate),
  ].filter((property) => property !== '');
}

/** Empty without a text. */
function element(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${asXml(text)}</${name}>`;
}

function list(name: string, kind: 'Alt' | 'Seq' | 'Bag', ...values: Array<string | undefined>): string {
  const language = kind === 'Alt' ? ' xml:lang="x-default"' : '';
  const items = values.map((value) => (value === undefined ? '' : `<rdf:li${language}>${asXml(value)}</rdf:li>`)).join('');
  return items && `<${name}><rdf:${kind}>${items}</rdf:${kind}></${name}>`;
}

/** Carriage returns are escaped too, because parsers would read them as line feeds. */
function asXml(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
