/** Prints the visible appearance of a signature: the planned signature and a size in, a printed page out. */
import { onlyLanguage } from '../../chromium/glyphs/han-fonts.ts';
import type { Page } from '../../chromium/page.ts';
import { type PagePrint, printOnce } from '../../chromium/print-once.ts';
import type { Deadline } from '../../deadline.ts';
import { ServiceError } from '../../errors.ts';
import type { FieldOfDocument } from '../../pdf/finish-settings.ts';
import type { FieldSize } from '../../pdf/forms/field-places.ts';
import type { FormControl } from '../../tag-structure.ts';
import { POINTS_PER_INCH } from '../../units.ts';
import type { FieldPlan } from '../request/signature-options.ts';
import { escapeHtml } from '../request/values/escape-html.ts';
import { generatedPage } from './generated-page.ts';
import type { ShownSignature, Signing } from './signing.ts';

/** Lengths in inches. */
interface Size {
  width: number;
  height: number;
}

/** Maximum number and length of the names in an error. */
const [MAX_NAMES, MAX_NAME] = [20, 64];
const RESET = '<title>signature</title><style>body { margin: 0 }</style>';
const MAX_FONT_PX = 16;
const LINE_HEIGHT = 1.25;
/** Width of a character in font sizes. It is generous, so that a line stays within the field. */
const LETTER_WIDTH = 0.62;

/** A field with a position from the request, and its HTML. Undefined if the signature is invisible or in a place of the document. */
export function placedAppearance(signing: Signing | undefined): { field: FieldPlan; html: string } | undefined {
  const field = signing?.plan.field;
  return signing && field && 'page' in field ? { field, html: appearanceHtml(signing, field) } : undefined;
}

/** Prints the result of `placedAppearance`. */
export async function printPlaced(
  page: Page,
  placed: ReturnType<typeof placedAppearance>,
  hanLanguages: string,
  deadline: Deadline,
): Promise<ShownSignature | undefined> {
  if (!placed) return undefined;
  const { field, html } = placed;
  return { field, printed: await printAppearance(page, html, field, hanLanguages, deadline) };
}

/** The signature place that the request names, with its size. Undefined if it names none. Throws `print_failed` if there is no such place. */
export function namedField(
  { plan: { field } }: Signing,
  fields: readonly FormControl[],
  sizes: ReadonlyMap<number, FieldSize>,
): (FieldOfDocument & Size) | undefined {
  if (!field || !('name' in field)) return undefined;
  const { number } = fieldNamed(field.name, fields);
  const size = sizes.get(number);
  if (!size) throw new Error('a form field has no position in the printed PDF');
  return { number, width: size.width / POINTS_PER_INCH, height: size.height / POINTS_PER_INCH };
}

function fieldNamed(name: string, fields: readonly FormControl[]): FormControl {
  const places = fields.filter(({ kind }) => kind === 'signature');
  const [named, ...others] = places.filter(({ key }) => key === name);
  if (named && !others.length) return named;
  const names = places.slice(0, MAX_NAMES).map(({ key }) => key.slice(0, MAX_NAME));
  const what = named
    ? `has ${others.length + 1} signature places of this name; give each a name of its own`
    : `has no signature place of this name that is printed and has a size; ${describeNames(names, places.length)}`;
  throw new ServiceError('print_failed', `options.signature.field.name: the document ${what}`, { members: { names } });
}

function describeNames(names: string[], count: number): string {
  if (!count) return 'it has no signature places at all: give an element `data-signature-field`';
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `it has ${names.map((name) => `"${name}"`).join(', ')}${more}`;
}

/** The HTML of the appearance in a field of this size. */
export function appearanceHtml(signing: Signing, size: Size): string {
  return signing.plan.field?.html ?? plainAppearance(signing, size);
}

/** Prints the appearance on a page of its size, without network access and scripts. */
export async function printAppearance(
  page: Page,
  html: string,
  { width, height }: Size,
  hanLanguages: string,
  deadline: Deadline,
): Promise<PagePrint> {
  const whole = `<!doctype html><html lang="${onlyLanguage(hanLanguages) ?? ''}">${RESET}${html}`;
  const printed = await printOnce(page, { ...generatedPage(whole, width, height), hanLanguages }, deadline);
  await page.reset();
  return printed;
}

function plainAppearance({ plan, key, at }: Signing, { width, height }: Size): string {
  const time = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const { reason, location } = plan;
  const lines = [key.facts.commonName, time, reason, location].filter((line) => line !== undefined);
  const longest = Math.max(...lines.map(({ length }) => length));
  const size = Math.min(MAX_FONT_PX, (96 * height) / (lines.length * LINE_HEIGHT), (96 * width) / (longest * LETTER_WIDTH));
  const [name = '', ...rest] = lines.map((line) => `<div dir="auto">${escapeHtml(line)}</div>`);
  const style = `font: ${size}px/${LINE_HEIGHT} sans-serif; white-space: pre; overflow: hidden; height: ${height}in`;
  return `<div style="${style}"><b>${name}</b>${rest.join('')}</div>`;
}
