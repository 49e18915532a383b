/**
 * Watermarks and stamps of a form: the fields in, a watermark of a print or steps that draw out. Options are those of pdfcpu
 * (https://pdfcpu.io/core/watermark).
 */
import { invalidField } from '../../errors.ts';
import type { Position } from '../../pdf/edit/embedded-page.ts';
import type { GivenDraw } from '../../render/request/schemas/assembly-schema.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import { type Rename, readNumber, readObject, readText } from '../read-field.ts';
import type { GotenbergForm } from '../sent-form.ts';
import type { FormStep } from './form-step.ts';

export type MarkName = 'watermark' | 'stamp';

export type MarkOptions = Partial<
  Pick<GivenDraw, 'opacity' | 'rotate' | 'color' | 'position' | 'offset' | 'scale' | 'fit' | 'font' | 'font_size'>
>;

const POSITIONS: Readonly<Record<string, Position>> = {
  ...({ tl: 'top-left', tc: 'top', tr: 'top-right', l: 'left', c: 'center', r: 'right' } as const),
  ...({ bl: 'bottom-left', bc: 'bottom', br: 'bottom-right' } as const),
};
const READERS: Readonly<Record<keyof MarkOptions, (given: string) => MarkOptions>> = {
  opacity: (given) => ({ opacity: readNumber(given) }),
  rotate: (given) => ({ rotate: readNumber(given) }),
  color: (given) => ({ color: readColor(given) }),
  position: (given) => ({ position: POSITIONS[given.toLowerCase()] ?? (given as Position) }),
  offset: readOffset,
  scale: readScale,
  fit: readScale,
  font: (given) => ({ font: readFont(given) }),
  font_size: (given) => ({ font_size: readNumber(given) }),
};
const NAMES: Readonly<Record<string, keyof MarkOptions>> = {
  ...({
    opacity: 'opacity',
    op: 'opacity',
    rotation: 'rotate',
    rot: 'rotate',
    color: 'color',
    fillcolor: 'color',
    fillc: 'color',
  } as const),
  ...({
    position: 'position',
    pos: 'position',
    offset: 'offset',
    off: 'offset',
    scalefactor: 'scale',
    scale: 'scale',
    sc: 'scale',
  } as const),
  ...({ fontname: 'font', font: 'font', points: 'font_size', po: 'font_size' } as const),
};
/** What a watermark of a print can have: it fills the page. */
const OF_PRINTS = ['opacity', 'rotate', 'color'];
const DEFAULT_POINTS = 24;
const DEFAULT_ROTATION = 45;
/** As watermarks of prints do. */
const FILLED = 0.9;
const FIELD_OF_PAGE = /%[pP]/;

/** Reads options, which are texts or numbers. */
export function readMarkOptions(value: unknown, rename: Rename): MarkOptions {
  const options: MarkOptions = {};
  for (const [name, given] of Object.entries(readObject(value))) {
    const ours = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    if (!ours) throw new Error(`names ${name.slice(0, 64)}, but only ${Object.keys(NAMES).join(', ')} are supported`);
    const read = READERS[ours](readText(given, name).trim());
    for (const member of Object.keys(read)) rename(member, name);
    Object.assign(options, read);
  }
  return options;
}

/** Reads `#808080`, and the three components from 0 to 1 of pdfcpu. */
function readColor(given: string): string {
  const components = given.split(' ').map(Number);
  if (components.length !== 3 || !components.every((each) => each >= 0 && each <= 1)) return given;
  return `#${Buffer.from(components.map((each) => Math.round(each * 255))).toString('hex')}`;
}

/** Reads points to the right and up, such as `10 -20`. */
function readOffset(given: string): MarkOptions {
  const [x, y, ...more] = given.split(/[ ,]+/).map(readNumber);
  if (x === undefined || y === undefined || more.length) throw new Error('has an offset that is not two numbers');
  return { offset: { x: `${x}pt`, y: `${-y}pt` } };
}

/** Reads a share of the page such as `0.5 rel`, or a factor of the own size such as `0.5 abs`. */
function readScale(given: string): MarkOptions {
  const [, factor, kind = 'rel'] = /^(\d+(?:\.\d+)?|\.\d+) *(abs|rel)?$/.exec(given) ?? [];
  if (factor === undefined) throw new Error('has a scale that is not a number with abs or rel, such as 0.5 rel');
  return kind === 'abs' ? { scale: Number(factor) } : { fit: Number(factor) };
}

/** Names fonts of the same widths as the standard fonts of PDF. */
function readFont(given: string): string {
  if (/^Times/.test(given)) return 'Times New Roman';
  if (/^Courier/.test(given)) return 'Courier New';
  return /^Helvetica/.test(given) ? 'Arial' : given;
}

interface Mark {
  name: MarkName;
  source: 'text' | 'image' | 'pdf';
  expression: string;
  pages: string | undefined;
  options: MarkOptions;
  file: UploadedFile | undefined;
}

/** Throws `invalid_request` for a mark without its text or file. */
function readMarks(form: GotenbergForm, name: MarkName): Mark[] {
  const list = (part: string) => (form.values.get(name + part) ?? []) as unknown[];
  const [expressions, pages, options] = [list('Expression'), list('Pages'), list('Options')] as [
    string[],
    string[],
    MarkOptions[],
  ];
  const unnamed = [...form[name]]; // marks without an expression take the files in their order
  return (list('Source') as Array<Mark['source']>).flatMap((source, index) => {
    if (source === undefined) return [];
    const given = expressions[index];
    const file = source === 'text' ? undefined : findMarkFile(form, name, given, unnamed);
    const expression = given ?? file?.path;
    if (expression === undefined) throw invalidField(`${name}Expression`, 'is required');
    return [{ name, source, expression, pages: pages[index], options: options[index] ?? {}, file }];
  });
}

function findMarkFile(
  form: GotenbergForm,
  name: MarkName,
  expression: string | undefined,
  unnamed: UploadedFile[],
): UploadedFile {
  const files = form[name];
  if (!files.length) throw invalidField('', `a ${name} file is required for image or pdf source`);
  const file = expression === undefined ? unnamed.shift() : files.find(({ path }) => path === expression);
  if (!file) throw invalidField(`${name}Expression`, `must be the name of a file in the field '${name}'`);
  return file;
}

/** The only mark, if the watermark of a print can be the same. */
function simpleMark(form: GotenbergForm): Mark | undefined {
  const [mark, ...more] = [...readMarks(form, 'watermark'), ...readMarks(form, 'stamp')];
  if (!mark || more.length || mark.source === 'pdf' || FIELD_OF_PAGE.test(mark.expression)) return undefined;
  return Object.keys(mark.options).every((name) => OF_PRINTS.includes(name)) ? mark : undefined;
}

/** The watermark of a print. */
export function toWatermark(form: GotenbergForm): { watermark?: object } {
  const mark = simpleMark(form);
  if (!mark) return {};
  const { name, expression, pages, options, file } = mark;
  return {
    watermark: {
      ...(file ? { image: file.content.toString('base64') } : { text: expression }),
      ...{ layer: name === 'stamp' ? 'over' : 'under', opacity: 1, ...options },
      ...(pages !== undefined && { pages }),
    },
  };
}

/** The marks that are not those of `toWatermark`. */
export function toLaterMarks(form: GotenbergForm): FormStep[] {
  return simpleMark(form) ? [] : [...toMarkSteps(form, 'watermark'), ...toMarkSteps(form, 'stamp')];
}

export function toMarkSteps(form: GotenbergForm, name: MarkName): FormStep[] {
  return readMarks(form, name).map((mark) => toStep(mark));
}

function toStep({ name, source, expression, pages, options, file }: Mark): FormStep {
  const { font_size: points = DEFAULT_POINTS, ...others } = options;
  const path = file && `${name}/${file.path}`;
  const drawn: GivenDraw =
    source === 'text'
      ? { text: toFields(expression), rotate: DEFAULT_ROTATION, ...(others.scale !== undefined && { font_size: points }) }
      : { [source === 'pdf' ? 'file' : 'image']: path };
  const draw = {
    ...drawn,
    ...(others.scale === undefined && { fit: FILLED }),
    ...others,
    ...(pages !== undefined && { pages: toPageChoice(pages) }),
  };
  const fields: Readonly<Record<string, string>> = {
    ...{ '': `${name}Options`, pages: `${name}Pages` },
    ...Object.fromEntries(['text', 'image', 'file'].map((member) => [member, `${name}Expression`])),
  };
  return {
    step: name === 'stamp' ? { stamp: draw } : { watermark: draw },
    nameField: (member) => fields[member] ?? `${name}Options.${member}`,
    files: file && path ? [{ ...file, path }] : [],
  };
}

/** Fields of pdfcpu for the number of a page and of all pages. */
function toFields(text: string): string {
  return text.replaceAll('%p', '{{page}}').replaceAll('%P', '{{pages}}');
}

/** Pages such as `2-end` of PDFtk and `2-z` of QPDF. */
export function toPageChoice(pages: string): string {
  return pages.replace(/\b(?:end|z)\b/gi, 'last');
}
