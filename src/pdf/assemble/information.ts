/** Reads the information dictionary of a PDF (ISO 32000-1, 14.3.3). */
import type { PdfMetadata } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';

export interface InformationEntries extends PdfMetadata {
  custom: Record<string, string>;
}

const NAMES: Record<string, keyof PdfMetadata> = {
  ...{ Title: 'title', Author: 'author', Subject: 'subject', Creator: 'creator' },
  ...{ CreationDate: 'creationDate', ModDate: 'modDate' },
};
const DATE = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-]\d\d)'?(\d\d)?)?/;
const MAX_ENTRIES = 100;

/** Dates are in RFC 3339. */
export function readInformation(pdf: EditablePdf): InformationEntries {
  const read: InformationEntries = { custom: {} };
  for (const [{ value: name }, value] of [...(pdf.asDict(pdf.info) ?? [])].slice(0, MAX_ENTRIES)) {
    const text = pdf.label(value);
    if (text !== undefined) addEntry(read, name, text);
  }
  return read;
}

function addEntry(read: InformationEntries, name: string, text: string): void {
  const known = NAMES[name];
  if (name === 'Keywords') read.keywords = text.split(/[,;]/).flatMap((word) => word.trim() || []);
  else if (!known) read.custom[name] = text;
  else {
    const shown = known.endsWith('Date') ? toRfc3339(text) : text;
    if (shown !== undefined) Object.assign(read, { [known]: shown });
  }
}

function toRfc3339(date: string): string | undefined {
  const [match, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone, minutes = '00'] =
    DATE.exec(date) ?? [];
  return match && `${year}-${month}-${day}T${hour}:${minute}:${second}${zone ? `${zone}:${minutes}` : 'Z'}`;
}
