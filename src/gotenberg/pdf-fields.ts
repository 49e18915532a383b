/** The form fields that change a PDF, in groups. A route reads one group or all of them. */
import { readMarkOptions } from './changes/marks.ts';
import {
  type Fields,
  flag,
  json,
  parseChoice,
  type Rename,
  readList,
  readNumber,
  readObject,
  readText,
  text,
} from './read-field.ts';

/** What a flag allows, by the names of `options.password.permissions`. */
export const PERMISSIONS: Readonly<Record<string, string[]>> = {
  allowPrinting: ['print', 'print_low'],
  allowCopying: ['copy'],
  allowModifying: ['modify'],
  allowAnnotating: ['annotate'],
  allowFillingForms: ['fill_forms'],
  allowAssembling: ['assemble'],
};

/** In the order in which they are applied. */
export const GROUPS = {
  bookmarks: { bookmarks: json(readBookmarks) },
  rotation: { rotateAngle: { read: readAngle }, rotatePages: text() },
  watermarks: markFields('watermark'),
  stamps: markFields('stamp'),
  flattening: { flatten: flag() },
  optimization: { optimizeImages: flag(), imageQuality: { read: (given) => readNumber(given) || undefined } },
  metadata: { metadata: json(readMetadata, 'metadata') },
  embeds: { embedsMetadata: json(readEmbedsMetadata) },
  encryption: {
    userPassword: text('password.user'),
    ownerPassword: text('password.owner'),
    ...Object.fromEntries(Object.keys(PERMISSIONS).map((name) => [name, flag()])),
  },
  split: {
    splitMode: { read: (given) => parseChoice(given, ['intervals', 'pages']) },
    splitSpan: text(),
    splitUnify: flag(),
  },
  conformance: { pdfa: text(), pdfua: flag() },
} as const satisfies Readonly<Record<string, Fields>>;

export type Group = keyof typeof GROUPS;

export const ALL_GROUPS = Object.keys(GROUPS) as Group[];

export function fieldsOf(groups: readonly Group[]): Fields {
  return Object.assign({}, ...groups.map((group) => GROUPS[group]));
}

export const ALL_CHANGES: Fields = fieldsOf(ALL_GROUPS);

/** A watermark is under the content and a stamp over it. */
function markFields(name: 'watermark' | 'stamp'): Fields {
  const repeats = true;
  return {
    [`${name}Source`]: { read: (given) => parseChoice(given, ['text', 'image', 'pdf']), repeats },
    [`${name}Expression`]: { ...text(), repeats },
    [`${name}Pages`]: { ...text(), repeats },
    [`${name}Options`]: { ...json(readMarkOptions), repeats },
  };
}

/** Returns undefined for 0, which clients of some languages send. */
function readAngle(given: string): number | undefined {
  return Number(parseChoice(given, ['90', '180', '270', '0'])) || undefined;
}

/** A list, or an object of lists by the names of files. Returns undefined if there are none. */
function readBookmarks(value: unknown): unknown[] | Record<string, unknown[]> | undefined {
  if (Array.isArray(value)) return value.length ? value.map(readBookmark) : undefined;
  const lists = Object.entries(readObject(value)).map(([name, list]) => [name, readList(list).map(readBookmark)]);
  return lists.length ? Object.fromEntries(lists) : undefined;
}

/** Clients send null for a bookmark without others below it. */
function readBookmark(value: unknown): unknown {
  const { children, ...bookmark } = readObject(value);
  const below = readList(children ?? null).map(readBookmark);
  return { ...bookmark, ...(below.length && { children: below }) };
}

/** In lower case, because the case of names does not matter to ExifTool, which Gotenberg uses. */
const METADATA_NAMES = new Map(
  Object.entries({
    ...{ title: 'title', author: 'author', subject: 'subject', keywords: 'keywords', creator: 'creator' },
    ...{ creationdate: 'creationDate', createdate: 'creationDate', moddate: 'modDate', modifydate: 'modDate' },
    ...{ 'xmp-dc:creator': 'author', 'xmp-dc:description': 'subject', 'xmp-dc:subject': 'keywords' },
    'xmp-xmp:creatortool': 'creator',
  }),
);
/** A group of ExifTool with entries that are written to the information dictionary and to XMP alike. */
const GROUP = /^(?:pdf|xmp(?:-[a-z]{1,20})?):/i;

/** Names that have no option of their own become custom entries. */
function readMetadata(value: unknown, rename: Rename): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  const custom: Array<[name: string, text: string]> = [];
  const entries = Object.entries(readObject(value)).filter(([, member]) => member !== null);
  for (const [name, member] of entries) {
    const texts = readTexts(name, member);
    const bare = name.replace(GROUP, '');
    const ours = [name, bare].map((each) => METADATA_NAMES.get(each.toLowerCase())).find(Boolean);
    if (ours) rename(ours, name);
    if (ours) metadata[ours] = readEntry(ours, texts);
    else custom.push([bare, texts.join(', ')]);
  }
  return { ...metadata, ...(custom.length && { custom: Object.fromEntries(custom) }) };
}

function readEntry(name: string, texts: string[]): string | string[] {
  if (name === 'keywords' && texts.length > 1) return texts;
  return /Date$/.test(name) ? parseTime(texts.join(', ')) : texts.join(', ');
}

/** An entry is a text, a number or a boolean, or a list of these. */
function readTexts(name: string, member: unknown): string[] {
  return [member].flat().map((each) => {
    if (typeof each !== 'object') return String(each);
    throw new Error(`has a value for ${name.slice(0, 64)} that is not a text, a number, true, false or a list of these`);
  });
}

export interface EmbedFacts {
  type?: string;
  relationship?: string;
}

/** Reads the media types and relationships of attachments by the names of their files. */
function readEmbedsMetadata(value: unknown): Record<string, EmbedFacts> {
  const entries = Object.entries(readObject(value)).map(([name, given]) => {
    const { mimeType, relationship } = readObject(given);
    return [
      name,
      {
        ...(mimeType ? { type: readText(mimeType, 'mimeType') } : {}),
        ...(relationship ? { relationship: readText(relationship, 'relationship') } : {}),
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** Reads dates of ExifTool, such as `2006:09:18 16:27:50-04:00`, and those of RFC 3339 with fractions or without a time zone. */
function parseTime(given: string): string {
  const time = given
    .replace(/^(\d{4}):(\d\d):(\d\d)/, '$1-$2-$3')
    .replace(' ', 'T')
    .replace(/\.\d+/, '');
  return /T\d\d:\d\d:\d\d$/.test(time) ? `${time}Z` : time;
}
