/** Writes the XMP packet of a PDF: the values of its information dictionary in, XML out (ISO 16684-1). */

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

export function xmpPacket(facts: DocumentFacts): string {
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
${properties(facts).join('\n')}
</rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

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
