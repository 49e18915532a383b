/**
 * What is drawn on pages as a text, as markup or as an image: Chromium prints it on pages of its own size, so that any script, font and
 * image that Chromium supports can be used. A text with fields is printed once for each text that it becomes.
 */
import type { HostedFiles } from '../../chromium/load/load-settings.ts';
import type { PrintJob } from '../../chromium/print-once.ts';
import { invalidField, type ServiceError } from '../../errors.ts';
import type { PagePlace } from '../../pdf/assemble/open-document.ts';
import { textErrors } from '../../validate.ts';
import type { GivenDraw } from '../request/schemas/assembly-schema.ts';
import { escapeHtml } from '../request/values/escape-html.ts';
import type { ValidationErrors } from '../request/values/validation-errors.ts';
import { parseImage } from '../request/watermark-options.ts';
import { generatedPage } from '../steps/generated-page.ts';

export interface Mark {
  /** Markup in which fields stand for what differs between pages. */
  html: string;
  style: string;
  kind: 'text' | 'html' | 'image';
}

const FIELD_NAMES = ['page', 'pages', 'part_page', 'part_pages', 'title'] as const;
type FieldName = (typeof FIELD_NAMES)[number];

const FIELD = new RegExp(`\\{\\{ *(${FIELD_NAMES.join('|')}) *\\}\\}`, 'g');
const ANY_FIELD = /\{\{ *(\w{1,100}) *\}\}/g;
/** With which a text is printed that is scaled to the page. */
const DEFAULT_POINTS = 72;
/**
 * Gives each page the size of its mark. Chromium shows nothing for an unreadable image, and only `decode` reports it
 * (https://html.spec.whatwg.org/multipage/embedded-content.html#dom-img-decode).
 */
const MEASURE = `Promise.all(Array.from(document.images, (image) => image.decode())).then(() => {
  const marks = Array.from(document.querySelectorAll('platen-mark'), (mark) => ({ mark, box: mark.getBoundingClientRect() }));
  const rules = new Map();
  for (const { mark, box } of marks) {
    const [width, height] = [box.width, box.height].map((side) => Math.max(1, Math.ceil(side)));
    mark.style.page = 'size-' + width + '-' + height;
    rules.set(mark.style.page, '{ margin: 0; size: ' + width + 'px ' + height + 'px }');
  }
  const css = Array.from(rules, ([name, rule]) => '@page ' + name + ' ' + rule).join(' ');
  document.head.append(Object.assign(document.createElement('style'), { textContent: css }));
  return true;
}, () => { console.error('unreadable'); return true })`;

/** How long all marks of an assembly may be together: several can show the same file, and each becomes a document of its own. */
export const MAX_MARKS_LENGTH = 67_108_864;

/** The length of the markup of a mark, before it is made. */
export function markLength({ text, html, image }: GivenDraw, files: HostedFiles): number {
  const file = image === undefined ? undefined : files.get(image);
  return file ? (file.content.length * 4) / 3 : (text ?? html ?? image ?? '').length;
}

export function parseMark(given: GivenDraw, at: string, files: HostedFiles, errors: ValidationErrors): Mark | undefined {
  const { text, html, image, color = '#000000', font = 'sans-serif', font_size: points = DEFAULT_POINTS } = given;
  if (text !== undefined) {
    errors.addAll(textErrors(`${at}.text`, text));
    requireFields(text, `${at}.text`, errors);
    const style = `font: ${points}pt/1.2 ${font}; color: ${color}; white-space: pre`;
    return { html: escapeHtml(text), style, kind: 'text' };
  }
  for (const name of ['color', 'font', 'font_size'] as const)
    if (given[name] !== undefined) errors.add(`${at}.${name}`, 'is only for a text');
  if (html !== undefined) {
    errors.addAll(textErrors(`${at}.html`, html));
    return { html, style: '', kind: 'html' };
  }
  if (image === undefined) return undefined;
  const address = parseImage(files.get(image)?.content.toString('base64') ?? image, `${at}.image`, errors);
  return { html: `<img alt="" src="${address}">`, style: '', kind: 'image' };
}

/** A text with another name was probably meant for a template, and would be printed as it is. */
function requireFields(text: string, path: string, errors: ValidationErrors): void {
  const known: ReadonlySet<string> = new Set(FIELD_NAMES);
  const other = Array.from(text.matchAll(ANY_FIELD), ([, name = '']) => name).find((name) => !known.has(name));
  const names = FIELD_NAMES.map((name) => `{{${name}}}`).join(', ');
  if (other !== undefined) errors.add(path, `has {{${other}}}, which is none of ${names}`);
}

export function hasFields({ html }: Mark): boolean {
  return html.search(FIELD) >= 0;
}

/** How long the texts of all pages may be together, with the names of their fields. */
const MAX_LENGTH = 16_777_216;

/** The markup for each page, and which pages have it. It is made once for pages with the same values. Throws `invalid_request`. */
export function fillFields({ html }: Mark, places: readonly PagePlace[]): { texts: string[]; ofPages: number[] } {
  const fields = Array.from(html.matchAll(FIELD), ([, name]) => name as FieldName);
  const uses = Map.groupBy(fields, (name) => name);
  const texts: string[] = [];
  const numbers = new Map<string, number>();
  let length = 0;
  const ofPages = places.map((place, index) => {
    const values = fieldValues(place, index, places.length);
    const key = JSON.stringify(Array.from(uses.keys(), (name) => values[name]));
    const known = numbers.get(key);
    if (known !== undefined) return known;
    length += html.length;
    for (const [name, { length: count }] of uses) length += count * values[name].length;
    if (length > MAX_LENGTH) throw tooLong();
    numbers.set(key, texts.length);
    return texts.push(html.replace(FIELD, (_, name: FieldName) => values[name])) - 1;
  });
  return { texts, ofPages };
}

function fieldValues(place: PagePlace, index: number, pages: number): Record<FieldName, string> {
  return {
    page: String(index + 1),
    pages: String(pages),
    part_page: String(place.page),
    part_pages: String(place.pages),
    title: escapeHtml(place.title),
  };
}

function tooLong(): ServiceError {
  return invalidField('', `is too long with its fields: ${MAX_LENGTH} characters are allowed on all pages`);
}

/** A page for each text, in the languages of the document. */
export function markJob(
  texts: readonly string[],
  { style, kind }: Mark,
  hanLanguages: string,
): PrintJob & { hanLanguages: string } {
  const rules = `<style>html, body { margin: 0 } platen-mark { display: block; width: max-content; break-after: page; ${style} } platen-mark img { display: block }</style>`;
  const marks = texts.map((text) => `<platen-mark dir="auto">${text}</platen-mark>`).join('');
  const { content, load, print } = generatedPage(
    `<!doctype html><html lang="${hanLanguages}"><title>mark</title>${rules}${marks}`,
    1,
    1,
  );
  return {
    content,
    load: { ...load, waitForFunction: MEASURE, ...(kind === 'image' && { failsOn: { ...load.failsOn, consoleError: true } }) },
    print: { ...print, pageRanges: '', paperChosenBy: 'document', marginChosenBy: 'document' },
    hanLanguages,
  };
}
