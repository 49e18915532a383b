/** Attaches files to a PDF: bytes with names, types and descriptions in, embedded files out. */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef, PdfStream } from '@libpdf/core';
import type { Attachment } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { deflatedStream, textString, unicodeString } from '../objects/syntax.ts';
import { pdfDate } from './metadata.ts';

export interface AssociatedFile extends Attachment {
  /** Modification date as in RFC 3339. */
  modified?: string;
}

/** Embeds the files, lists them in the name tree and associates them with the whole document (ISO 32000-2, 7.11.4 and 14.13). */
export function attach(editable: EditablePdf, attachments: readonly AssociatedFile[]): void {
  if (!attachments.length) return;
  const files = attachments.map((attachment) => ({
    key: unicodeString(attachment.name), // always UTF-16, because some readers expect all keys in one encoding
    file: editable.add(fileSpecification(attachment, editable.add(embeddedFile(attachment)))),
  }));
  const tree = files.toSorted((one, other) => Buffer.compare(one.key.bytes, other.key.bytes)); // 7.9.6
  const names = editable.copyDictionary(editable.catalog, 'Names');
  names.set('EmbeddedFiles', PdfDict.of({ Names: PdfArray.of(...tree.flatMap(({ key, file }) => [key, file])) }));
  editable.catalog.set('Names', names);
  editable.catalog.set('AF', PdfArray.of(...files.map(({ file }) => file)));
}

function fileSpecification({ name, description, relationship }: AssociatedFile, content: PdfRef): PdfDict {
  return PdfDict.of({
    Type: PdfName.of('Filespec'),
    F: textString(name),
    UF: textString(name),
    EF: PdfDict.of({ F: content, UF: content }),
    AFRelationship: PdfName.of(relationship ?? 'Unspecified'),
    ...(description !== undefined && { Desc: textString(description) }),
  });
}

/** The content is compressed unless that makes it longer. */
function embeddedFile({ type, content, modified }: AssociatedFile): PdfStream {
  const date = pdfDate(modified);
  const entries: Record<string, PdfObject> = {
    Type: PdfName.of('EmbeddedFile'),
    Subtype: PdfName.of(type ?? 'application/octet-stream'),
    Params: PdfDict.of({ Size: PdfNumber.of(content.length), ...(date !== undefined && { ModDate: textString(date) }) }),
  };
  const compressed = deflatedStream(entries, content);
  return compressed.data.length < content.length ? compressed : PdfStream.fromDict(entries, content);
}
