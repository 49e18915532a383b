/**
 * Texts of form fields that no font of the form can show: fields in, what Chromium is to print for each of their widgets out; and the
 * printed PDF in, appearances out.
 */
import { type FormField, PDF, PdfDict, PdfName, type PdfObject } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { pageView } from '../objects/page-view.ts';
import { decimal, deflatedStream, numbers } from '../objects/syntax.ts';
import { drawBox } from './paint-boxes.ts';
import { Copier } from './printed-appearances.ts';

/** What a widget shows. Lengths are in points. */
export interface WidgetText {
  width: number;
  height: number;
  padding: number;
  /** A line, a text of several lines, characters in cells, or the options of a list. */
  kind: 'line' | 'text' | 'comb' | 'list';
  /** Those of a list, else only one. */
  lines: Array<{ text: string; isSelected: boolean }>;
  /** The number of cells of a comb. */
  cells: number;
  /** 0 for as large as fits. */
  fontSize: number;
  family: 'serif' | 'sans-serif' | 'monospace';
  isBold: boolean;
  isItalic: boolean;
  /** Red, green and blue, from 0 to 255. */
  color: [red: number, green: number, blue: number];
  align: 'left' | 'center' | 'right';
  /** Of the document. Empty if it declares none. */
  language: string;
}

/** Prints a page for each of the texts, which is in its upper left corner. */
export type PrintTexts = (texts: WidgetText[]) => Promise<Uint8Array>;

type Form = ReturnType<NonNullable<ReturnType<PDF['getForm']>>['acroForm']>;
type Widget = ReturnType<FormField['getWidgets']>[number];

export async function printWidgets(pdf: EditablePdf, form: Form, fields: readonly FormField[], print: PrintTexts): Promise<void> {
  const widgets = fields.flatMap((field) =>
    field.getWidgets().map((widget) => ({ widget, text: describe(pdf, form, field, widget) })),
  );
  const shown = widgets.filter(({ text }) => text.width > 0 && text.height > 0);
  if (!shown.length) return;
  const printed = await PDF.load(await print(shown.map(({ text }) => text)));
  const copier = new Copier(pdf, printed);
  for (const [index, { dict: page }] of printed.getPages().entries()) {
    const { widget, text } = shown[index] ?? {};
    if (!widget || !text) return;
    const content = copier.createForm(page, text.width, text.height, [0, 0, 0, 0]);
    const { bottom, height } = pageView(copier, page);
    const moved = `1 0 0 1 0 ${decimal(text.height - bottom - height)} cm`;
    const drawn = `${drawBox(widget, text.width, text.height)}/Tx BMC q ${moved} /Text Do Q EMC`;
    const entries: Record<string, PdfObject> = {
      ...{
        Type: PdfName.of('XObject'),
        Subtype: PdfName.of('Form'),
        Resources: PdfDict.of({ XObject: PdfDict.of({ Text: content }) }),
      },
      ...{ BBox: numbers(0, 0, text.width, text.height), Matrix: numbers(...turned(widget)) },
    };
    widget.setNormalAppearance(deflatedStream(entries, Buffer.from(drawn)));
  }
}

function rotationOf(widget: Widget): number {
  return (((widget.getAppearanceCharacteristics()?.rotation ?? 0) % 360) + 360) % 360;
}

/** Turns a form counterclockwise. Viewers move it into the rectangle of the widget. */
function turned(widget: Widget): number[] {
  const matrices: Record<number, number[]> = { 90: [0, 1, -1, 0, 0, 0], 180: [-1, 0, 0, -1, 0, 0], 270: [0, -1, 1, 0, 0, 0] };
  return matrices[rotationOf(widget)] ?? [1, 0, 0, 1, 0, 0];
}

const MAX_LANGUAGE = 100;
const ALIGNMENTS = ['left', 'center', 'right'] as const;

function describe(pdf: EditablePdf, form: Form, field: FormField, widget: Widget): WidgetText {
  const [width, height] = rotationOf(widget) % 180 ? [widget.height, widget.width] : [widget.width, widget.height];
  const border = widget.getAppearanceCharacteristics()?.borderColor ? (widget.getBorderStyle()?.width ?? 1) : 0;
  const own = pdf.text(widget.dict, 'DA') || ('defaultAppearance' in field && String(field.defaultAppearance ?? ''));
  const alignment = 'alignment' in field ? Number(field.alignment) : (pdf.number(field.acroField(), 'Q') ?? 0);
  return {
    ...{ width, height, padding: 2 * Math.max(1, border), align: ALIGNMENTS[alignment] ?? 'left' },
    language: pdf.text(pdf.catalog, 'Lang').slice(0, MAX_LANGUAGE),
    ...contentOf(field),
    ...readStyle(pdf, form, own || form.defaultAppearance),
  };
}

function contentOf(field: FormField): Pick<WidgetText, 'kind' | 'lines' | 'cells'> {
  const [value] = shownTexts(field);
  if ('getTopIndex' in field && field.type === 'listbox') return { kind: 'list', lines: listed(field), cells: 0 };
  const { isMultiline, isComb, maxLength } = field as Partial<Record<'isMultiline' | 'isComb', boolean> & { maxLength: number }>;
  const kind = isMultiline ? 'text' : isComb && maxLength ? 'comb' : 'line';
  return { kind, lines: [{ text: value ?? '', isSelected: false }], cells: maxLength ?? 0 };
}

interface ListField {
  getTopIndex(): number;
  getOptions(): Array<{ value: string; display: string }>;
  getValue(): string[];
}

function listed(field: FormField): WidgetText['lines'] {
  const list = field as unknown as ListField;
  const selected = new Set(list.getValue());
  return list
    .getOptions()
    .slice(list.getTopIndex())
    .map(({ value, display }) => ({ text: display, isSelected: selected.has(value) }));
}

/** The texts that a field shows: its value, what its list shows for that, or all options of a list box. */
export function shownTexts(field: FormField): string[] {
  const value = 'getValue' in field && typeof field.getValue === 'function' ? field.getValue() : '';
  if (field.type !== 'dropdown' && field.type !== 'listbox') return [String(value ?? '')];
  const options = (field as unknown as ListField).getOptions();
  if (field.type === 'listbox') return options.map(({ display }) => display);
  return [options.find((each) => each.value === value)?.display ?? String(value ?? '')];
}

/** Reads a default appearance (ISO 32000-1, 12.7.3.3) such as `/Helv 12 Tf 0 g`. */
function readStyle(
  pdf: EditablePdf,
  form: Form,
  appearance: string,
): Pick<WidgetText, 'fontSize' | 'color' | 'family' | 'isBold' | 'isItalic'> {
  const words = appearance.split(/\s/).filter(Boolean);
  const before = (operator: string, count: number) => {
    const at = words.lastIndexOf(operator);
    return at < count ? undefined : words.slice(at - count, at);
  };
  const [name = '', size = '0'] = before('Tf', 2) ?? [];
  const resources = pdf.dict(Reflect.get(form, 'dict') as PdfDict, 'DR'); // private only for TypeScript
  const font = pdf.name(pdf.asDict(pdf.nested(resources, 'Font', name.slice(1))), 'BaseFont') || name;
  return {
    fontSize: Math.abs(Number(size)) || 0,
    color: toColor((before('rg', 3) ?? before('k', 4) ?? before('g', 1) ?? ['0']).map(Number)),
    family: /cour|mono/i.test(font)
      ? 'monospace'
      : /times|serif|roman/i.test(font) && !/sans/i.test(font)
        ? 'serif'
        : 'sans-serif',
    isBold: /bold/i.test(font),
    isItalic: /italic|oblique/i.test(font),
  };
}

function toColor([first = 0, second = first, third = first, black]: number[]): WidgetText['color'] {
  const shares = black === undefined ? [first, second, third] : [first, second, third].map((ink) => (1 - ink) * (1 - black));
  return shares.map((share) => Math.round(255 * Math.min(1, Math.max(0, share || 0)))) as WidgetText['color'];
}
