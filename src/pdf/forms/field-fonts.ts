/**
 * The fonts of a form. libpdf writes a text as PDFDocEncoding has it, also in a font with another encoding, in which a euro sign is another
 * character: the fonts are made to encode their texts.
 */
import { type PDF, PdfDict, PdfName } from '@libpdf/core';
import { PdfReader } from '../objects/pdf-reader.ts';

type Form = ReturnType<NonNullable<ReturnType<PDF['getForm']>>['acroForm']>;
type Font = ReturnType<Form['getAvailableFonts']>[number];

interface SimpleFont {
  canEncode(text: string): boolean;
  encodeText(text: string): number[];
}

/** A text without any font is drawn in Helvetica without an encoding. */
const WITHOUT_FONT = /[^\x20-\x7e\s]/u;
const LINE_BREAKS = /[\r\n\t]/g;

/** Call it before appearances are generated. */
export function encodeTexts(form: Form): void {
  for (const font of form.getAvailableFonts()) {
    const simpleFont = Reflect.get(font, 'simpleFont') as SimpleFont | null; // private only for TypeScript
    if (!simpleFont || font.isCIDFont) continue;
    Object.assign(font, {
      isCIDFont: true, // libpdf asks only such fonts for bytes
      canUseForAppearance: (text: string) => simpleFont.canEncode(text),
      encodeTextToBytes: (text: string) => Uint8Array.from(simpleFont.encodeText(text)),
    });
  }
}

/** Adds a font for the Latin letters of Western Europe if needed. Returns a character of the text that cannot be shown even so. */
export function makeShowable(pdf: PDF, form: Form, text: string): string | undefined {
  if (findUnshowable(form, text) === undefined) return undefined;
  addFont(pdf, form);
  return findUnshowable(form, text);
}

const ADDED = 'PlatenHelvetica';

function addFont(pdf: PDF, form: Form): void {
  const reader = new PdfReader(pdf);
  const dict = Reflect.get(form, 'dict') as PdfDict; // private only for TypeScript, as is the cache
  const resources = reader.dict(dict, 'DR')?.clone() ?? new PdfDict();
  const fonts = reader.dict(resources, 'Font')?.clone() ?? new PdfDict();
  if (fonts.has(ADDED)) return;
  const name = PdfName.of;
  const font = { Type: name('Font'), Subtype: name('Type1'), BaseFont: name('Helvetica'), Encoding: name('WinAnsiEncoding') };
  fonts.set(ADDED, pdf.register(PdfDict.of(font)));
  resources.set('Font', fonts);
  dict.set('DR', resources);
  Reflect.set(form, 'existingFontsCache', null);
  encodeTexts(form);
}

/** The first character of a text that no font of the form has, or none in which all of it can be shown. Call `encodeTexts` before. */
export function findUnshowable(form: Form, text: string): string | undefined {
  const shown = text.replace(LINE_BREAKS, '');
  const fonts: readonly Font[] = form.getAvailableFonts();
  if (!fonts.length) return WITHOUT_FONT.exec(shown)?.[0];
  if (fonts.some((font) => font.canUseForAppearance(shown))) return undefined;
  const characters = [...shown];
  return characters.find((each) => !fonts.some((font) => font.canUseForAppearance(each))) ?? characters[0];
}
