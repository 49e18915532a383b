/**
 * Paints background and border of lists whose appearances were generated, which libpdf leaves out of them (ISO 32000-1, 12.5.6.19): fields
 * in, changed appearances out.
 */

import { deflateSync } from 'node:zlib';
import { type FormField, PdfName } from '@libpdf/core';
import { decimal } from '../objects/syntax.ts';

const LISTS = new Set(['dropdown', 'listbox']);
/** The operators for fills and strokes, by the number of components of a colour. */
const OPERATORS: Readonly<Record<number, readonly [fill: string, stroke: string]>> = {
  1: ['g', 'G'],
  3: ['rg', 'RG'],
  4: ['k', 'K'],
};

/** Call it once for each appearance. */
export function paintBoxes(fields: ReadonlyArray<Pick<FormField, 'type' | 'getWidgets'>>): void {
  for (const widget of fields.filter(({ type }) => LISTS.has(type)).flatMap((field) => field.getWidgets())) {
    const appearance = widget.getNormalAppearance();
    const box = drawBox(widget, widget.width, widget.height);
    if (!appearance || !box) continue;
    appearance.setData(deflateSync(Buffer.concat([Buffer.from(box), appearance.getDecodedData()])));
    appearance.set('Filter', PdfName.FlateDecode);
  }
}

type Widget = ReturnType<FormField['getWidgets']>[number];

/** The operators that paint background and border of a widget, of which `width` and `height` are those before it is turned. */
export function drawBox(widget: Widget, width: number, height: number): string {
  const { backgroundColor, borderColor } = widget.getAppearanceCharacteristics() ?? {};
  const line = widget.getBorderStyle()?.width ?? 1;
  const fill = paint(backgroundColor, 0, `0 0 ${decimal(width)} ${decimal(height)} re f`);
  const frame = [line / 2, line / 2, width - line, height - line].map(decimal).join(' ');
  return fill + (line > 0 ? paint(borderColor, 1, `${decimal(line)} w ${frame} re S`) : '');
}

function paint(color: readonly number[] | undefined, kind: 0 | 1, path: string): string {
  const operators = color && OPERATORS[color.length];
  return operators ? `q ${color.map(decimal).join(' ')} ${operators[kind]} ${path} Q\n` : '';
}
