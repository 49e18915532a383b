/**
 * Changes fonts with HarfBuzz, so that Chromium embeds them well. It makes a static font of one weight from a variable font, because
 * Skia's PDF writer cannot embed variable fonts, and writes each glyph as a Type 3 procedure instead, which is large and has no hints
 * (`FontType`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFFont.cpp).
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readTables, requireTable, uint16s } from './font-tables.ts';

type Memory = 'malloc' | 'free';
type OfFonts = `blob_${'create' | 'destroy' | 'get_length' | 'get_data'}` | `face_${'create' | 'destroy' | 'reference_blob'}`;
type OfSubsets =
  | `subset_input_${'create_or_fail' | 'destroy' | 'keep_everything' | 'set' | 'pin_axis_location' | 'get_flags' | 'set_flags'}`
  | 'subset_or_fail';

/** The functions of hb-subset.h that are used, and those of the module itself. Pointers are numbers. */
type HarfBuzz = Record<Memory | `hb_${OfFonts | OfSubsets | 'set_add'}`, (...values: number[]) => number> & {
  memory: { readonly buffer: ArrayBuffer };
};

interface Name {
  /** Family and style are the names that Windows and fontconfig read, such as `Noto Sans SC` and `Bold`. */
  family: string;
  style: 'Regular' | 'Bold';
  weight: number;
}

const READ_ONLY = 1;
const DROPPED_TABLES = 3;
const NO_HINTING = 1;
const [FAMILY, STYLE, FULL, POSTSCRIPT] = [1, 2, 4, 6];
/** Entries of the table `name` that are kept: copyright, version, licence and its URL. */
const KEPT_NAMES = [0, 5, 13, 14];

export async function loadHarfBuzz(): Promise<HarfBuzz> {
  const path = fileURLToPath(import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'));
  const { instance } = await WebAssembly.instantiate(await readFile(path));
  const { _initialize: initialize, ...rest } = instance.exports;
  (initialize as () => void)();
  return rest as unknown as HarfBuzz;
}

/** Also changes the names in `font` itself. */
export function pinWeight(hb: HarfBuzz, font: Buffer, name: Name): Buffer {
  setNames(font, name);
  return changeFont(hb, font, (input, face) => {
    hb.hb_subset_input_pin_axis_location(input, face, tag('wght'), name.weight);
    hb.hb_set_add(hb.hb_subset_input_set(input, DROPPED_TABLES), tag('STAT')); // it describes axes that no longer exist
  });
}

/** Removes the instructions that fit glyphs to the pixels of a screen. Chromium would copy them into PDFs, where they do nothing. */
export function removeHinting(hb: HarfBuzz, font: Buffer): Buffer {
  return changeFont(hb, font, (input) => hb.hb_subset_input_set_flags(input, hb.hb_subset_input_get_flags(input) | NO_HINTING));
}

/** Makes a copy of a font with everything but for what `choose` changes about it. */
function changeFont(hb: HarfBuzz, font: Buffer, choose: (input: number, face: number) => void): Buffer {
  const data = hb.malloc(font.length);
  new Uint8Array(hb.memory.buffer).set(font, data);
  const blob = hb.hb_blob_create(data, font.length, READ_ONLY, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const input = hb.hb_subset_input_create_or_fail();
  hb.hb_subset_input_keep_everything(input);
  choose(input, face);
  const changed = hb.hb_subset_or_fail(face, input);
  const copy = changed ? copyFont(hb, changed) : undefined;
  hb.hb_subset_input_destroy(input);
  hb.hb_face_destroy(changed);
  hb.hb_face_destroy(face);
  hb.hb_blob_destroy(blob);
  hb.free(data);
  if (!copy) throw new Error('HarfBuzz refuses a bundled font');
  return copy;
}

function copyFont(hb: HarfBuzz, face: number): Buffer {
  const blob = hb.hb_face_reference_blob(face);
  const start = hb.hb_blob_get_data(blob, 0);
  const copy = Buffer.from(new Uint8Array(hb.memory.buffer, start, hb.hb_blob_get_length(blob)));
  hb.hb_blob_destroy(blob);
  return copy;
}

/** Changes the names in place. Those of a variable font, which include its styles, are longer than their replacement. */
function setNames(font: Buffer, { family, style }: Name): void {
  const isBold = style === 'Bold';
  const tables = readTables(font);
  const table = requireTable(tables, 'name');
  const names = nameTable([
    ...readNames(table).filter(([id]) => KEPT_NAMES.includes(id)),
    [FAMILY, family],
    [STYLE, style],
    [FULL, `${family} ${style}`],
    [POSTSCRIPT, `${family.replaceAll(' ', '')}-${style}`],
  ]);
  if (names.length > table.length) throw new Error('no room for the names of a bundled font');
  names.copy(table);
  requireTable(tables, 'OS/2').writeUInt16BE(isBold ? 0x20 : 0x40, 62);
  requireTable(tables, 'head').writeUInt16BE(isBold ? 1 : 0, 44);
}

/** Reads the table `name` (OpenType 1.9): a header of 6 bytes, records of 12, then the text in UTF-16. */
function readNames(table: Buffer): [number, string][] {
  const text = table.readUInt16BE(4);
  return Array.from({ length: table.readUInt16BE(2) }, (_, n) => {
    const record = 6 + 12 * n;
    const start = text + table.readUInt16BE(record + 10);
    const bytes = Buffer.from(table.subarray(start, start + table.readUInt16BE(record + 8)));
    return [table.readUInt16BE(record + 6), bytes.swap16().toString('utf16le')];
  });
}

function nameTable(names: [number, string][]): Buffer {
  const sorted = names.toSorted(([a], [b]) => a - b);
  const texts = sorted.map(([, text]) => Buffer.from(text, 'utf16le').swap16());
  let end = 0;
  const records = sorted.flatMap(([id], n) => {
    const length = texts[n]?.length ?? 0;
    end += length;
    return [3, 1, 0x409, id, length, end - length]; // for Windows (3), in Unicode (1), in American English (0x409)
  });
  return Buffer.concat([uint16s([0, sorted.length, 6 + 2 * records.length, ...records]), ...texts]);
}

function tag(name: string): number {
  return Buffer.from(name, 'latin1').readUInt32BE(0);
}
