/** Writes the XMP packet of a PDF: the values of its information dictionary in, XML out (ISO 16684-1). */

import type { Claims } from '../conformance/profiles.ts';

/** Dates as RFC 3339. Without characters that XML cannot have. */
export interface DocumentFacts {
  title: string | undefined;
  author: string | undefined;
  subject: string | undefined;
  keywords: string[];
  creator: string;
  producer: string;
  creationDate: string | undefined;
  modDate: string | undefined;
}

export function xmpPacket(facts: DocumentFacts, claims?: Claims): string {
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
${properties(facts).join('\n')}
</rdf:Description>${claims ? conformance(claims) : ''}
</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

/** What the PDF claims. PDF/A knows no property of PDF/UA, so that its schema has to be described (ISO 19005-2, 6.6.2.3). */
function conformance({ archive, accessible }: Claims): string {
  const properties = [
    ...(archive ? [element('pdfaid:part', [String(archive.part)]), element('pdfaid:conformance', [archive.level])] : []),
    ...(accessible ? [element('pdfuaid:part', ['1'])] : []),
  ];
  return `
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
${properties.join('\n')}
</rdf:Description>${archive && accessible ? UA_SCHEMA : ''}`;
}

const UA_SCHEMA = `
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>The part of ISO 14289 to which the document conforms</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`;

/** Those that have a value. */
function properties(facts: DocumentFacts): string[] {
  const { title, author, subject, keywords, creator, producer, creationDate, modDate } = facts;
  return [
    element('dc:format', ['application/pdf']),
    list('dc:title', 'Alt', title),
    list('dc:creator', 'Seq', author),
    list('dc:description', 'Alt', subject),
    list('dc:subject', 'Bag', ...keywords),
    element('pdf:Keywords', keywords.length ? [keywords.join(', ')] : []),
    element('pdf:Producer', [producer]),
    element('xmp:CreatorTool', [creator]),
    element('xmp:CreateDate', [creationDate]),
    element('xmp:ModifyDate', [modDate]),
  ].filter((property) => property !== '');
}

function element(name: string, values: Array<string | undefined>): string {
  return values.map((value) => (value === undefined ? '' : `<${name}>${asXml(value)}</${name}>`)).join('');
}

function list(name: string, kind: 'Alt' | 'Seq' | 'Bag', ...values: Array<string | undefined>): string {
  const language = kind === 'Alt' ? ' xml:lang="x-default"' : '';
  const items = values.map((value) => (value === undefined ? '' : `<rdf:li${language}>${asXml(value)}</rdf:li>`)).join('');
  return items && `<${name}><rdf:${kind}>${items}</rdf:${kind}></${name}>`;
}

/** Carriage returns would be read as line feeds. */
function asXml(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
