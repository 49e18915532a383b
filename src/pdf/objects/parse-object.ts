/**
 * Parses an object that is not a stream, in the simple syntax that Chromium uses for almost all objects: Latin-1 text in, a value
 * of libpdf out. It takes a tenth of the time of libpdf, which matters if a document has a tag for each word.
 */
import { PdfArray, PdfBool, PdfDict, PdfName, PdfNull, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core';

const TOKEN =
  /[\s\0]*(?:(\d+) (\d+) R\b|([-+]?\d*\.?\d+)|\/([^\s\0()<>[\]{}/%#]+)|\(([^()\\\r]*)\)|<([\da-fA-F]*)>|(<<|>>|\[|\]|true\b|false\b|null\b))/y;

type End = '>>' | ']';

/** Returns undefined for any other syntax, such as names and strings with escapes. */
export function parseObject(text: string): PdfObject | undefined {
  TOKEN.lastIndex = 0;
  const value = next(text);
  const isWhole = /^\s*$/.test(text.slice(TOKEN.lastIndex));
  return isWhole && typeof value !== 'string' ? value : undefined;
}

/** The next value, or the end of the enclosing array or dictionary. */
function next(text: string): PdfObject | End | undefined {
  const found = TOKEN.exec(text);
  if (!found) return undefined;
  const [, id, generation, number, name, literal, hex, word] = found;
  if (id !== undefined) return PdfRef.of(Number(id), Number(generation));
  if (name !== undefined) return PdfName.of(name);
  if (number !== undefined) return PdfNumber.of(Number(number));
  if (literal !== undefined) return new PdfString(Buffer.from(literal, 'latin1'));
  if (hex !== undefined) return PdfString.fromHex(hex);
  return ofWord(word, text);
}

function ofWord(word: string | undefined, text: string): PdfObject | End | undefined {
  if (word === '<<') return dictionary(text);
  if (word === '[') return array(text);
  if (word === '>>' || word === ']') return word;
  return word === 'null' ? PdfNull.instance : PdfBool.of(word === 'true');
}

function dictionary(text: string): PdfDict | undefined {
  const dict = new PdfDict();
  for (;;) {
    const key = next(text);
    if (key === '>>') return dict;
    const value = key instanceof PdfName ? next(text) : undefined;
    if (value === undefined || typeof value === 'string') return undefined;
    dict.set(key as PdfName, value);
  }
}

function array(text: string): PdfArray | undefined {
  const items: PdfObject[] = [];
  for (;;) {
    const item = next(text);
    if (item === ']') return new PdfArray(items);
    if (item === undefined || typeof item === 'string') return undefined;
    items.push(item);
  }
}
