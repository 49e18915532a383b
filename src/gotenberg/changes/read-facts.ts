/** What the routes that read tell of a PDF: what an assembly extracts in, the JSON of Gotenberg out. */
import type { Extracted } from '../../pdf/assemble/extract.ts';

export const FACTS = {
  bookmarks: ({ bookmarks = [] }: Extracted) => bookmarks,
  attachments: ({ attachments = [] }: Extracted) =>
    attachments.map(({ name, type, relationship }) => ({
      name,
      ...(type && { mimeType: type }),
      ...(relationship && { relationship }),
    })),
  metadata: ({ metadata = { custom: {}, xmp: {} }, pages }: Extracted) => {
    const { custom, xmp, title, author, subject, keywords, creator, creationDate, modDate } = metadata;
    const known = { Title: title, Author: author, Subject: subject, Keywords: keywords, Creator: creator };
    const changed = toExifDate(modDate);
    const dates = { CreateDate: toExifDate(creationDate), ModDate: changed, ModifyDate: changed };
    const others = Object.entries(custom).map(([name, text]) => [name, toExifValue(text)]);
    const entries = Object.entries({ ...known, ...dates, PageCount: pages.length }).filter(([, value]) => value !== undefined);
    const properties = Object.entries(xmp).map(([name, value]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      toProperty(value),
    ]);
    return { ...Object.fromEntries(properties), ...Object.fromEntries([...entries, ...others]) }; // the dictionary wins, as with ExifTool
  },
};

function toProperty(value: string | string[]): unknown {
  return Array.isArray(value) ? value : toExifValue(toExifDate(value) ?? '');
}

/** The name that ExifTool gives the date, and its format: `2006:09:18 16:27:50-04:00`. */
function toExifDate(date: string | undefined): string | undefined {
  return date?.replace(/^(\d{4})-(\d\d)-(\d\d)T/, '$1:$2:$3 ');
}

const NUMBER = /^-?(?:\d|[1-9]\d{1,14})(?:\.\d{1,16})?$/;

/** Like ExifTool, takes texts for the numbers and booleans that they spell. */
function toExifValue(text: string): string | number | boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return NUMBER.test(text) ? Number(text) : text;
}
