/**
 * Makes errors speak of the form that was sent: an error about the options of `/v1` in, one that names fields and files of the form
 * out. Requests are validated as those of `/v1`, and a render that fails later knows only options.
 */
import { type FieldError, invalidRequest, ServiceError } from '../errors.ts';
import { PDF_FIELDS, SCREENSHOT_FIELDS } from './fields.ts';
import { PERMISSIONS } from './pdf-fields.ts';
import type { SentForm } from './sent-form.ts';

/** Begins the path of an error about a file of the form. */
export const FILE = 'files: ';
/** Maximum number of characters of a name in an error. */
export const MAX_SHOWN = 100;

export function toFileName(name: string): string {
  return FILE + name.slice(0, MAX_SHOWN);
}

const HORIZONTAL = ['marginLeft', 'marginRight', 'paperWidth', 'paperHeight', 'paperSize'];
const VERTICAL = ['marginTop', 'marginBottom', 'paperHeight', 'paperWidth', 'paperSize'];
const ALLOWED = Object.keys(PERMISSIONS);
const PROFILES = ['pdfa', 'nativePdfa', 'pdfua', 'nativePdfua'];
const NO_BOX = /^options\.selector: (?:no element of the document matches|the element that matches has no size)$/;
const marks = (part: string) => [`watermark${part}`, `stamp${part}`];

/** Options with the fields that set them. If there are several, the first that was sent is meant. */
const NAMES: ReadonlyArray<readonly [option: string, fields: readonly string[]]> = [
  ['filename', ['Gotenberg-Output-Filename']],
  ['html', [toFileName('index.html')]],
  ['assets', ['files']],
  ['options.headerTemplate', [toFileName('header.html')]],
  ['options.footerTemplate', [toFileName('footer.html')]],
  ['options.attachments', ['embeds']],
  ['options.cookies', ['cookies']],
  ['options.extraHTTPHeaders', ['extraHttpHeaders']],
  ['options.invoice.profile', ['facturxConformanceLevel']],
  ['options.invoice', ['facturxXml']],
  ['options.invoice.xml', ['facturxXml']],
  ['options.watermark', marks('Options')],
  ['options.watermark.pages', marks('Pages')],
  ['options.watermark.text', marks('Expression')],
  ['options.watermark.image', marks('Expression')],
  ['options.conformance', PROFILES],
  ['options.conformance[0]', PROFILES],
  ['options.margin', HORIZONTAL],
  ['options.metadata.custom', ['metadata']],
  ['options.waitForFunction', ['waitForExpression', 'waitWindowStatus']],
  ['options.waitUntil', ['skipNetworkIdleEvent', 'skipNetworkAlmostIdleEvent']],
  ['options.password', ['userPassword', 'ownerPassword', ...ALLOWED]],
  ['options.password.permissions', ALLOWED],
  ['options.timeout', ['PLATEN_RENDER_TIMEOUT_MS']],
  ['options.failOnHttpStatus', ['failOnResourceHttpStatusCodes']],
  ...Object.entries({ ...SCREENSHOT_FIELDS, ...PDF_FIELDS }).flatMap(([name, { option }]) =>
    option ? [[`options.${option}`, [name]] as const] : [],
  ),
];

/** What errors advise to send, and what this advice is for a form. */
const ADVICE: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bin assets(?: \([^()]{0,100}\))?/g, "in the form field 'files'"],
  [/; a number without a unit is CSS pixels, so write "8.27in" for inches/g, ''],
  [/, or (?:set|send) baseUrl\b/g, ''],
  [/^assets have\b/, 'the files have'],
  [/^html has\b/, 'index.html has'],
];

/** Returns the error with the names of the form. Other values, which are faults of this service, are returned as they are. */
export function translateError(form: SentForm, error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const errors = error.code === 'invalid_request' ? (error.members.errors as FieldError[] | undefined) : undefined;
  if (errors) return invalidRequest(errors.map((each) => nameField(form, each)));
  return error.reword(translateMessage(form, error.message));
}

function nameField(form: SentForm, { path, message }: FieldError): FieldError {
  // Whether it is about the width or the height, only the message says.
  if (path === 'options.margin' && message.includes('top')) return { path: firstSent(form, VERTICAL), message };
  return { path: findField(form, path) ?? path, message: translateMessage(form, message) };
}

/** That of a failed condition begins with a name. */
function translateMessage(form: SentForm, message: string): string {
  const fieldName = (path: string) => findField(form, path)?.replace(FILE, '');
  const named = message
    .replace(NO_BOX, () => `The selector '${firstCharacters(form)}' (selector) matched no element with a visible box`)
    .replace(/\boptions(?:\.\w+)+/g, (path) => fieldName(path) ?? path)
    .replace(/^failOn\w+(?=:)/, (name) => fieldName(`options.${name}`) ?? name);
  return adviseSenders(named);
}

/** Replaces advice about a request of `/v1` by that about a form. */
export function adviseSenders(message: string): string {
  return ADVICE.reduce((text, [pattern, advice]) => text.replace(pattern, advice), message);
}

function firstCharacters({ values }: SentForm): string {
  return String(values.get('selector')).slice(0, MAX_SHOWN).toWellFormed();
}

/** Undefined if it is no option that a form sets. */
function findField(form: SentForm, path: string): string | undefined {
  const isAt = (option: string) => path.startsWith(option) && /^(?:$|[.[])/.test(path.slice(option.length));
  const [found] = NAMES.filter(([option]) => isAt(option)).sort(([a], [b]) => b.length - a.length);
  if (!found) return undefined;
  const [option] = found;
  const fields = NAMES.flatMap(([other, names]) => (other === option ? names : []));
  const field = firstSent(form, fields) + path.slice(option.length);
  return form.aliases.get(field) ?? field;
}

/** The clients of some languages send every field. A flag that has its default, which is true only for permissions, set nothing. */
function firstSent({ values }: SentForm, fields: readonly string[]): string {
  const hasEffect = (name: string) => values.has(name) && values.get(name) !== ALLOWED.includes(name);
  return fields.find(hasEffect) ?? (fields[0] as string);
}
