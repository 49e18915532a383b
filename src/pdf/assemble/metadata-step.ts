/** The step that writes entries of the metadata, in the information dictionary and in XMP alike. */
import type { PdfDict } from '@libpdf/core';
import { isVersion2 } from '../conformance/profiles.ts';
import { toFacts, writeInformation } from '../edit/metadata.ts';
import { readPartFacts } from '../edit/read-facts.ts';
import type { PdfMetadata } from '../finish-settings.ts';
import { writeXmp } from './claims.ts';
import { type InformationEntries, readInformation } from './information.ts';
import type { OpenDocument } from './open-document.ts';

export type MetadataStep = PdfMetadata;

/** Entries that are not given stay. What the PDF claims to conform to stays as well. */
export function changeMetadata(document: OpenDocument, given: MetadataStep): void {
  const { pdf, dropped } = document;
  const before = readInformation(pdf);
  const { claims } = readPartFacts(pdf.pdf);
  const facts = toFacts(mergeMetadata(before, given), undefined);
  if (!isVersion2(claims)) writeInformation(pdf, facts);
  const old = pdf.stream(pdf.catalog, 'Metadata');
  if (old && !isOurs(old))
    dropped.push({ what: 'xmp', why: 'the XMP packet of another program was replaced; its claims were kept' });
  writeXmp(document, facts, claims);
}

function mergeMetadata({ custom: old, ...before }: InformationEntries, { custom, ...given }: PdfMetadata): PdfMetadata {
  return { ...before, ...given, custom: { ...old, ...custom } };
}

function isOurs(packet: PdfDict & { data: Uint8Array }): boolean {
  return Buffer.from(packet.data).includes('xmlns:x="adobe:ns:meta/"><rdf:RDF');
}
