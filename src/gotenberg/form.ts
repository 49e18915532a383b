/** Translates a form of Gotenberg: its parts in, the equivalent JSON body and its files out. */
import { type FieldError, invalidField, invalidRequest, ServiceError } from '../errors.ts';
import type { Part } from '../http/requests/form-body.ts';
import { nearest } from '../nearest.ts';
import { MAX_TEMPLATE } from '../render/request/schemas/options-schema.ts';
import type { UploadedFile } from '../render/request/values/assets.ts';
import { withoutExternalReferences } from '../render/request/values/external-references.ts';
import { decodeUtf8 } from '../utf8.ts';
import { toWatermark } from './changes/marks.ts';
import { MAX_SHOWN, toFileName } from './field-names.ts';
import { PDF_FIELDS, SCREENSHOT_FIELDS } from './fields.ts';
import { FIELDS, fileMember, findKnownField, isOfOtherRoute, isUnsupported, type RouteKind } from './known-fields.ts';
import { type EmbedFacts, PERMISSIONS } from './pdf-fields.ts';
import { EMPTY_VALUE, type Fields } from './read-field.ts';
import { ownSecrets } from './secrets.ts';
import { type GotenbergForm, withoutFolders } from './sent-form.ts';

export type GotenbergSource = 'html' | 'url' | 'markdown';

type Values = ReadonlyMap<string, unknown>;
type Options = Record<string, unknown>;

const DOCUMENTS = ['index.html', 'header.html', 'footer.html'];
const LETTER = { width: '8.5in', height: '11in' };
const DEFAULT_MARGIN = '0.39in';
const NO_DOCUMENT = 'is required: send a file with this name';
export const MARKDOWN = /\.md$/i;
export const NO_MARKDOWN = 'no form file found for extensions: [.md]';
export const NO_PDF = 'no form file found for extensions: [.pdf]';
const NO_FILE_URL =
  'file:// URLs are not accepted on this route. Use the /convert/html or /convert/markdown routes to render local HTML';

/** Of all values that are not files. Reading some of them takes many times their size, and none needs nearly as much. */
const MAX_VALUE_BYTES = 1_048_576;

/** Throws `invalid_request`, which names every field that is wrong or not supported. */
export function readGotenbergForm(parts: readonly Part[], target: RouteKind, source?: GotenbergSource): GotenbergForm {
  requireShortValues(parts);
  const errors: FieldError[] = [];
  const [values, aliases] = [new Map<string, unknown>(), new Map<string, string>()];
  const form: GotenbergForm = { values, files: [], embeds: [], watermark: [], stamp: [], invoices: [], aliases };
  for (const part of parts) {
    if (isOfOtherRoute(part.name, target)) continue;
    try {
      if (part.filename === undefined) readValue(part, target, form);
      else findFiles(form, part.name, target).push(toFile(part.filename, part));
    } catch (error) {
      errors.push({ path: part.name.slice(0, MAX_SHOWN), message: (error as Error).message });
    }
  }
  if (errors.length) throw invalidRequest([...errors, ...listMissing(form, source)]);
  return form;
}

function requireShortValues(parts: readonly Part[]): void {
  let bytes = 0;
  for (const { name, filename, content } of parts) {
    if (filename === undefined) bytes += content.length;
    if (bytes <= MAX_VALUE_BYTES) continue;
    const limit = `fields other than files may have ${MAX_VALUE_BYTES} bytes together`;
    throw invalidField(name.slice(0, MAX_SHOWN), `is too long: ${limit}`);
  }
}

/** What a form lacks, unless it can still be downloaded. Named beside other faults; without them, it is noticed later. */
function listMissing({ values, files }: GotenbergForm, source: GotenbergSource | undefined): FieldError[] {
  if (values.has('downloadFrom')) return [];
  if (!source) return files.length ? [] : [{ path: '', message: NO_PDF }];
  if (source === 'url') return values.has('url') ? [] : [{ path: 'url', message: 'is required' }];
  const isSent = (pattern: RegExp) => files.some(({ path }) => pattern.test(path));
  return [
    ...(isSent(/^index\.html$/) ? [] : [{ path: toFileName('index.html'), message: NO_DOCUMENT }]),
    ...(source === 'html' || isSent(MARKDOWN) ? [] : [{ path: '', message: NO_MARKDOWN }]),
  ];
}

function readValue({ name, content }: Part, target: RouteKind, { values, aliases }: GotenbergForm): void {
  const given = decodeUtf8(content, 'in.txt');
  const field = findKnownField(name, target);
  if (isUnsupported(name, target) && EMPTY_VALUE.test(given)) return;
  if (!field) throw new Error(describeRefusal(name, target));
  const rename = (member: string, sent: string) => void aliases.set(`${name}.${member}`, `${name}.${sent}`);
  const value = given === '' ? undefined : field.read(given, rename, name);
  if (field.repeats) return void values.set(name, [...((values.get(name) ?? []) as unknown[]), value]);
  if (values.has(name)) throw new Error('is sent more than once');
  if (value !== undefined) values.set(name, value);
}

function describeRefusal(name: string, target: RouteKind): string {
  if (isUnsupported(name, target)) return 'is not supported by this server';
  const near = nearest(name, Object.keys(FIELDS[target]));
  return `is unknown to this route${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function findFiles(form: GotenbergForm, name: string, target: RouteKind): UploadedFile[] {
  if (isUnsupported(name, target)) throw new Error('is not supported by this server');
  return form[fileMember(name, target) ?? 'files'];
}

function toFile(filename: string, { type, content }: Part): UploadedFile {
  return { path: withoutFolders(filename).normalize(), type, content };
}

/** The body of `POST /v1/pdf`, and files for its document. */
export function toPdfBody(form: GotenbergForm, source: GotenbergSource, filename: string | undefined, hasSteps: boolean) {
  const { values, embeds } = form;
  const [header, footer] = [readTemplate(form, 'header.html'), readTemplate(form, 'footer.html')];
  const options: Options = {
    ...loadingOptions(values),
    ...{ printBackground: false, preferCSSPageSize: false },
    ...direct(values, PDF_FIELDS, ['waitForExpression']),
    ...toPaper(values),
    ...toMargin(values),
    ...toPassword(values),
    ...toPrintedConformance(values),
    ...(header !== undefined && { headerTemplate: header }),
    ...(footer !== undefined && { footerTemplate: footer }),
    ...(embeds.length && { attachments: toAttachments(form) }),
    ...toWatermark(form),
    ...toInvoice(form),
  };
  if (hasSteps) delete options.password; // it is the last step
  if (hasLaterMetadata(values)) options.metadata = withoutCustom(options.metadata as Options);
  if (options.singlePage) delete options.height; // it follows from the content
  if (options.omitBackground && !options.printBackground)
    throw new ServiceError('invalid_request', 'omitBackground requires printBackground set to true');
  return toBody(form, source, options, filename);
}

/** The body of `POST /v1/image`, and files for its document. */
export function toImageBody(form: GotenbergForm, source: GotenbergSource, filename: string | undefined) {
  const { values } = form;
  const { type = 'png', quality = 100, ...given } = direct(values, SCREENSHOT_FIELDS, ['waitForExpression']);
  const viewport = { width: 800, height: 600, ...(given.viewport as object) };
  const fullPage = given.selector === undefined && values.get('clip') !== true;
  const options = { ...loadingOptions(values), ...given, type, viewport, fullPage };
  return toBody(form, source, type === 'png' ? options : { ...options, quality }, filename);
}

function toBody(form: GotenbergForm, source: GotenbergSource, options: Options, filename: string | undefined) {
  const url = readUrl(form, source);
  const named = { options: { ...options, ...ownSecrets(form.values, url) }, ...(filename !== undefined && { filename }) };
  const files = form.files.filter(({ path }) => !DOCUMENTS.includes(path));
  if (url !== undefined) return { body: { url, ...named }, files: [] }; // nothing refers to them
  return { body: { html: form.html ?? requireText(form, 'index.html'), ...named }, files };
}

/** Undefined on the routes without a URL, which ignore one. */
export function readUrl({ values }: GotenbergForm, source: GotenbergSource): string | undefined {
  if (source !== 'url') return undefined;
  const url = values.get('url');
  if (!url) throw invalidField('url', 'is required');
  if (/^file:/i.test(String(url))) throw new ServiceError('invalid_request', NO_FILE_URL);
  return String(url);
}

/** Returns the text of a file. Throws `invalid_request` if the form has no such file. */
export function requireText(form: GotenbergForm, name: string): string {
  const found = readText(form, name);
  if (found === undefined) throw invalidField(toFileName(name), NO_DOCUMENT);
  return found;
}

/** As in Gotenberg, a header or footer prints without what it would load from the network. One that is too long is refused later. */
function readTemplate(form: GotenbergForm, name: string): string | undefined {
  const template = readText(form, name);
  return template && template.length <= MAX_TEMPLATE ? withoutExternalReferences(template) : template;
}

function readText({ files }: GotenbergForm, name: string): string | undefined {
  const found = files.find(({ path }) => path === name);
  return found && decodeFile(found);
}

/** Throws `invalid_request`, which names the file, or the field `path`. */
export function decodeFile({ path: name, content }: UploadedFile, path = toFileName(name)): string {
  return decodeUtf8(content, name.slice(0, MAX_SHOWN), (message) => invalidField(path, message));
}

/** Options from fields that each correspond to exactly one option. */
function direct(values: Values, fields: Fields, except: string[]): Options {
  const options: Options = {};
  for (const [name, { option }] of Object.entries(fields)) {
    const value = values.get(name);
    if (!option || value === undefined || except.includes(name)) continue;
    const [group = '', member] = option.split('.');
    options[group] = member ? { ...(options[group] as object), [member]: value } : value;
  }
  return options;
}

function loadingOptions(values: Values): Options {
  const selector = values.get('waitForSelector');
  const waitForFunction = toCondition(values);
  const waitUntil = toWait(values);
  return {
    ...(selector !== undefined && { waitForSelector: { selector, visible: true } }),
    ...(waitForFunction && { waitForFunction }),
    ...(waitUntil && { waitUntil }),
  };
}

function toCondition(values: Values): string | undefined {
  const [expression, status] = [values.get('waitForExpression'), values.get('waitWindowStatus')];
  const comparison = status === undefined ? undefined : `window.status === ${JSON.stringify(status)}`;
  if (expression === undefined || comparison === undefined) return (expression as string | undefined) ?? comparison;
  return `(${expression}\n) && ${comparison}`;
}

function toWait(values: Values): string | undefined {
  if (values.get('skipNetworkIdleEvent') === false) return 'networkidle0';
  return values.get('skipNetworkAlmostIdleEvent') === false ? 'networkidle2' : undefined;
}

/**
 * The statuses that fail the render. No option of `/v1` can express separate ones for the page. `page` is undefined for the default,
 * 400 and above.
 */
export function toFailingStatuses({ values }: GotenbergForm) {
  const statuses = (name: string) => values.get(name) as number[] | undefined;
  const page = statuses('failOnHttpStatusCodes');
  const ignored = (values.get('ignoreResourceHttpStatusDomains') ?? []) as string[];
  const isIgnored = (url: string) => isWithin(URL.parse(url)?.hostname ?? '', ignored);
  return { page: page && new Set(page), resources: new Set(statuses('failOnResourceHttpStatusCodes')), isIgnored };
}

function isWithin(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

function toPaper(values: Values): Options {
  if (values.has('paperSize')) return {}; // combining it with a length is refused later
  const width = values.get('paperWidth') ?? LETTER.width;
  const height = values.get('paperHeight') ?? LETTER.height;
  // The width of a single page is not swapped with a height. What is wider than the page is not cut off.
  if (values.get('singlePage') && values.get('landscape')) return { width: height, height, fit: 'width' };
  return { width, height };
}

function toMargin(values: Values): Options {
  const sides = { top: 'marginTop', right: 'marginRight', bottom: 'marginBottom', left: 'marginLeft' };
  if (!Object.values(sides).some((name) => values.has(name))) return {};
  const lengths = Object.entries(sides).map(([side, name]) => [side, values.get(name) ?? DEFAULT_MARGIN]);
  return { margin: Object.fromEntries(lengths) };
}

export function toPassword(values: Values): { password?: object } {
  const [user, owner] = [values.get('userPassword'), values.get('ownerPassword')];
  const allowed = Object.entries(PERMISSIONS).filter(([name]) => values.get(name) !== false);
  const isLimited = allowed.length < Object.keys(PERMISSIONS).length;
  if (user === undefined && owner === undefined && !isLimited) return {};
  const permissions = [...allowed.flatMap(([, names]) => names), 'accessibility'];
  return {
    password: {
      ...(user !== undefined && { user }),
      ...(owner !== undefined && { owner }),
      ...(isLimited && { permissions }),
    },
  };
}

/** The profiles that the PDF must conform to. A document that lacks what they require is refused. */
export function toConformance(values: Values): { conformance?: unknown[] } {
  const archive = values.get('pdfa') ?? values.get('nativePdfa');
  const isAccessible = values.get('pdfua') ?? values.get('nativePdfua');
  const accessible = String(archive).startsWith('PDF/A-4') ? 'PDF/UA-2' : 'PDF/UA-1';
  const conformance = [...(archive === undefined ? [] : [archive]), ...(isAccessible ? [accessible] : [])];
  return conformance.length ? { conformance } : {};
}

/** Whether the metadata have entries that a print cannot have with the profiles that the form asks for. */
export function hasLaterMetadata(values: Values): boolean {
  const { custom = {} } = (values.get('metadata') ?? {}) as { custom?: object };
  return toConformance(values).conformance !== undefined && Object.keys(custom).some((name) => name !== 'Producer');
}

function withoutCustom({ custom: _, ...metadata }: Options): Options {
  return metadata;
}

/** What a print itself can conform to. */
function toPrintedConformance(values: Values): { conformance?: unknown[] } {
  const { conformance = [] } = toConformance(values);
  const printed = conformance.filter((profile) => profile !== 'PDF/A-1b');
  return printed.length ? { conformance: printed } : {};
}

export function toAttachments({ values, embeds, aliases }: GotenbergForm) {
  const facts = (values.get('embedsMetadata') ?? {}) as Record<string, EmbedFacts>;
  return embeds.map(({ path, type, content }, index) => {
    aliases.set(`embeds[${index}].name`, toFileName(path));
    aliases.set(`embeds[${index}].type`, `embedsMetadata.${path}.mimeType`);
    aliases.set(`embeds[${index}].relationship`, `embedsMetadata.${path}.relationship`);
    const given = Object.hasOwn(facts, path) ? facts[path] : undefined;
    return { name: path, ...(type && { type }), ...given, content: content.toString('base64') };
  });
}

function toInvoice({ values, invoices: [file] }: GotenbergForm): Options {
  const profile = values.get('facturxConformanceLevel');
  if (!file && profile === undefined) return {};
  if (!file) throw invalidField('facturxXml', 'is required: send the XML as a file in this field');
  if (profile === undefined) throw invalidField('facturxConformanceLevel', 'is required');
  return { invoice: { xml: decodeFile(file, 'facturxXml'), profile } };
}
