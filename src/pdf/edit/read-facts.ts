/** Reads the metadata that Platen writes: a PDF in, what it claims to conform to and its title out. */
import type { PDF } from '@libpdf/core';
import type { ArchiveLevel, Claims } from '../conformance/profiles.ts';
import { PdfReader } from '../objects/pdf-reader.ts';

/** The claims and the title from the metadata of a part. */
export interface PartFacts {
  claims: Claims;
  title: string;
}

/** Reads a PDF that Platen made. The metadata of other PDFs cannot be trusted. */
export function readPartFacts(pdf: PDF): PartFacts {
  const { catalog, info } = pdf.context;
  const reader = new PdfReader(pdf);
  const metadata = reader.stream(catalog.getDict(), 'Metadata');
  const xmp = Buffer.from(metadata?.getDecodedData() ?? []).toString();
  return { claims: readClaims(xmp), title: reader.text(reader.dict(info.trailer, 'Info'), 'Title') || readTitle(xmp) };
}

/** Text from the document cannot match, because its angle brackets are escaped. */
function readClaims(xmp: string): Claims {
  const [, part] = /<pdfaid:part>(\d)<\/pdfaid:part>/.exec(xmp) ?? [];
  const [, level = ''] = /<pdfaid:conformance>([ABUF])<\/pdfaid:conformance>/.exec(xmp) ?? [];
  const archive = part ? { part: Number(part), level: level as ArchiveLevel } : undefined;
  const [, accessible] = /<pdfuaid:part>([12])<\/pdfuaid:part>/.exec(xmp) ?? [];
  return { archive, accessible: accessible ? (Number(accessible) as 1 | 2) : undefined };
}

/** The title in an XMP packet that `xmpStream` wrote. */
function readTitle(xmp: string): string {
  const [, title = ''] = /<dc:title><rdf:Alt><rdf:li[^>]*>([^<]*)</.exec(xmp) ?? [];
  return title.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
