/** Damages a conformant PDF: one file in, a copy for each fault out. Faults that do not apply to the file are left out. */
import { PdfDict, PdfStream } from '@libpdf/core';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import { deflatedStream } from '../../src/pdf/objects/syntax.ts';
import { writePlain } from '../../src/pdf/objects/write.ts';

/** Replacements of the same length, so that offsets in the file remain correct. */
const REPLACEMENTS: Record<string, [from: RegExp, to: string | ((found: string) => string)]> = {
  'no identifier': [/\/ID \[/, '/IX ['],
  'no output intent': [/\/OutputIntents/, '/OutputIntentx'],
  'no colour profile': [/\/DestOutputProfile/, '/DestOutputProfilx'],
  'another part': [/<pdfaid:part>[34]/, '<pdfaid:part>7'],
  'another level': [/<pdfaid:conformance>[AF]/, '<pdfaid:conformance>X'],
  'another part of UA': [/<pdfuaid:part>[12]/, '<pdfuaid:part>3'],
  'no title': [/dc:title>/g, 'dc:titlx>'],
  'title not shown': [/\/DisplayDocTitle/, '/DisplayDocTitlx'],
  'no mark info': [/\/MarkInfo/, '/MarkInfx'],
  'not marked': [/\/Marked true/, '/Marked null'],
  'no structure': [/\/StructTreeRoot (\d)/, '/StructTreeRoox $1'],
  'no role map': [/\/RoleMap/, '/RoleMax'],
  'no language': [/\/Lang (?=[(<])/, '/Lanx '],
  'a list body of an unknown type': [/\/S \/LBody/, '/S /LBodx'],
  'a heading of another level': [/\/S \/H1/, '/S /H4'],
  'all headings of another level': [/\/S \/H[12]\b/g, '/S /H3'],
  'no alternate text': [/\/Alt (?=[(<])/, '/Alx '],
  'a link that is a span': [/\/S \/Link/, '/S /Span'],
  'no description of a link': [/\/Contents </, '/Contentx <'],
  'another tab order': [/\/Tabs \/S/, '/Tabs /R'],
  'no tab order': [/\/Tabs \/S/g, '/Tabx /S'],
  'a hidden annotation': [/\/F 4/, '/F 2'],
  'an annotation without flags': [/\/F 4/, '/X 4'],
  'a font that is not embedded': [/\/FontFile2/, '/FontFilx2'],
  'fonts that are not embedded': [/\/FontFile2/g, '/FontFilx2'],
  'no map to Unicode': [/\/ToUnicode/, '/ToUnicodx'],
  'no maps to Unicode': [/\/ToUnicode/g, '/ToUnicodx'],
  'no metadata': [/\/Metadata (\d)/, '/Metadatx $1'],
  'a row that is a cell': [/\/S \/TR/, '/S /TD'],
  'an item that is a cell': [/\/S \/LI\b/, '/S /TH'],
  'a cell that is an item': [/\/S \/TH/, '/S /LI'],
  'a table that is a list': [/\/S \/Table/, '/S /L    '],
  'object references of an unknown type': [/\/Type \/OBJR/g, '/Type /OBJX'],
  'an action that is forbidden': [/\/S \/URI/, '/S /Hide'.slice(0, 7)],
  'a file without a relationship': [/\/AFRelationship/, '/AFRelationshix'],
  'a file that is not associated': [/\/AF \[/, '/AX ['],
  'a file without a description': [/\/Desc (?=[(<])/, '/Desx '],
  'no namespace': [/\/NS \d/, (found) => found.replace('NS', 'NX')],
  'a destination without an element': [/\/SD \[/, '/SX ['],
  'no destinations with elements': [/\/SD \[/g, '/SX ['],
  'a file without a type': [/\/Subtype \/text/, '/Subtypx /text'],
};

export async function damaged(pdf: Buffer): Promise<Array<{ name: string; bytes: Buffer }>> {
  const text = pdf.toString('latin1');
  const damagedFiles = Object.entries(REPLACEMENTS).flatMap(([name, [from, to]]) => {
    const bytes: Buffer = Buffer.from(text.replace(from, to as string), 'latin1');
    return bytes.equals(pdf) || bytes.length !== pdf.length ? [] : [{ name, bytes }];
  });
  for (const [name, [from, to]] of Object.entries(CONTENT_REPLACEMENTS)) {
    const bytes = await withContent(pdf, from, to);
    if (bytes) damagedFiles.push({ name, bytes });
  }
  return damagedFiles;
}

const CONTENT_REPLACEMENTS: Record<string, [from: RegExp, to: string]> = {
  'content without artifacts': [/\/Artifact\s+BMC/g, '/Span BMC'],
  'content without tags': [/\/\w+\s*<<\s*\/MCID\s+\d+\s*>>\s*BDC/g, '/Span BMC'],
};

async function withContent(pdf: Buffer, from: RegExp, to: string): Promise<Buffer | undefined> {
  const editable = await EditablePdf.read(Buffer.from(pdf));
  const [page] = editable.pdf.getPages();
  const entry = page?.dict.getRef('Contents');
  const stream = editable.resolve(entry);
  if (!entry || !(stream instanceof PdfStream)) return undefined;
  const content = Buffer.from(stream.getDecodedData()).toString('latin1');
  const changed = content.replace(from, to);
  if (changed === content) return undefined;
  editable.change(entry, deflatedStream({}, Buffer.from(changed, 'latin1')));
  editable.id = Buffer.alloc(16, 7);
  const info = editable.resolve(editable.info);
  if (!(info instanceof PdfDict)) return undefined;
  return Buffer.from(writePlain(editable).join());
}
