/** Options for finishing a printed PDF: the caller's options in, the finishing plan out. */
import type { HostedFiles } from '../../chromium/load/load-settings.ts';
import { type Invoice, invoiceFilename } from '../../pdf/conformance/invoice-profiles.ts';
import { type Claims, isVersion2, toClaims } from '../../pdf/conformance/profiles.ts';
import { type FinishSettings, RFC_3339 } from '../../pdf/finish-settings.ts';
import { textErrors } from '../../validate.ts';
import { passwordErrors } from './password.ts';
import type { PdfOptions } from './schemas/options-schema.ts';
import { parseSignature, type SignaturePlan } from './signature-options.ts';
import { decodeBase64 } from './values/base64.ts';
import { isUsableFilename } from './values/filename.ts';
import { type GivenFile, parseFile } from './values/given-file.ts';
import type { ValidationErrors } from './values/validation-errors.ts';
import { parseWatermark, type Watermark } from './watermark-options.ts';

/** The finishing plan before the document is printed and the owner is known. */
export interface FinishPlan
  extends Omit<FinishSettings, 'watermark' | 'letterhead' | 'boundary' | 'structure' | 'forms' | 'signature' | 'compress'> {
  /** Undefined for the default, which depends on the printed PDF. */
  compress: boolean | undefined;
  letterhead: GivenFile | undefined;
  watermark: Watermark | undefined;
  /** Whether the PDF has tags, which are then repaired. */
  repairsTags: boolean;
  /** Whether the form controls of the document become form fields of the PDF. */
  forms: boolean;
  signature: SignaturePlan | undefined;
}

type Given<Name extends keyof PdfOptions> = NonNullable<PdfOptions[Name]>;

const TEXTS = ['title', 'author', 'subject', 'creator'] as const;
const DATES = ['creationDate', 'modDate'] as const;

/** `files` are those that options can name. */
export function parseFinishing(options: PdfOptions, errors: ValidationErrors, files: HostedFiles = new Map()): FinishPlan {
  const conformance = parseConformance(options, errors);
  const tagged = isTagged(options);
  const outline = options.outline ?? false;
  if (outline && options.tagged === false)
    errors.add('options.tagged', 'cannot be false with options.outline: bookmarks are made from the tags');
  if (options.compress === false && options.password !== undefined)
    errors.add('options.compress', 'cannot be false with options.password: an encrypted PDF is always compressed');
  return {
    metadata: parseMetadata(options.metadata ?? {}, errors),
    repairsTags: tagged || outline,
    compress: options.compress,
    attachments: parseAttachments(options.attachments ?? [], options.invoice, errors),
    letterhead: parseLetterhead(options.letterhead, files, errors),
    watermark: options.watermark && parseWatermark(options.watermark, errors),
    images: parseImages(options.images, errors),
    password: parsePassword(options.password, errors),
    conformance,
    forms: options.forms ?? false,
    invoice: parseInvoice(options.invoice, errors),
    signature: parseSignature(options, errors),
  };
}

function parseLetterhead(
  given: PdfOptions['letterhead'],
  files: HostedFiles,
  errors: ValidationErrors,
): FinishPlan['letterhead'] {
  if (!given) return undefined;
  const { file, document_id } = given;
  if (file !== undefined && document_id !== undefined)
    errors.add('options.letterhead.file', 'cannot be combined with document_id');
  if (file === undefined && document_id === undefined) errors.add('options.letterhead', 'must have file or document_id');
  return parseFile(given, 'options.letterhead', files, errors);
}

function parseImages(given: PdfOptions['images'], errors: ValidationErrors): FinishPlan['images'] {
  if (given && given.quality === undefined && given.maxDpi === undefined)
    errors.add('options.images', 'must contain quality or maxDpi');
  return given;
}

/** A PDF that claims conformance, or has an invoice, is tagged by default. */
export function isTagged({ tagged, conformance, invoice }: PdfOptions): boolean {
  return tagged ?? (conformance !== undefined || invoice !== undefined);
}

function parseInvoice(given: PdfOptions['invoice'], errors: ValidationErrors): Invoice | undefined {
  if (given !== undefined) errors.addAll(textErrors('options.invoice.xml', given.xml));
  return given;
}

/** An invoice requires PDF/A-3, so the default profile for it is PDF/A-3b. */
function parseConformance(options: PdfOptions, errors: ValidationErrors): Claims | undefined {
  const { conformance, invoice } = options;
  if (conformance === undefined && invoice === undefined) return undefined;
  const profiles = [conformance ?? []].flat();
  const archives = profiles.filter((profile) => profile.startsWith('PDF/A'));
  const accessibles = profiles.length - archives.length;
  const claims = toClaims(invoice && !archives.length ? [...profiles, 'PDF/A-3b'] : profiles);
  if (archives.length > 1 || accessibles > 1)
    errors.add('options.conformance', 'must name at most one profile of PDF/A and one of PDF/UA');
  checkConformance(options, claims, errors);
  return claims;
}

/** Rejects options that the standards forbid. */
function checkConformance(options: PdfOptions, { archive, accessible }: Claims, errors: ValidationErrors): void {
  const cause = options.conformance === undefined ? 'options.invoice' : 'options.conformance';
  if (options.tagged === false) errors.add('options.tagged', `cannot be false with ${cause}`);
  if (options.password !== undefined) errors.add('options.password', `cannot be combined with ${cause}`);
  checkVersions(archive, accessible, errors);
  // The producer is written to XMP as well, as PDF/A requires.
  for (const name of Object.keys(options.metadata?.custom ?? {}).filter((each) => each !== 'Producer'))
    errors.add(
      `options.metadata.custom.${name.slice(0, 64)}`,
      `cannot be combined with ${cause}, with which only Producer is allowed: leave it out`,
    );
  if (options.invoice && archive?.part !== 3)
    errors.add('options.conformance', 'must be a profile of PDF/A-3 with options.invoice, which Factur-X requires');
  else checkAttachments(options.attachments ?? [], { archive, accessible }, errors);
}

/** Rejects profiles of different PDF versions, because a file has one version. */
function checkVersions(archive: Claims['archive'], accessible: Claims['accessible'], errors: ValidationErrors): void {
  if (!archive || !accessible || isVersion2({ archive, accessible: 1 }) === (accessible === 2)) return;
  const [version, other] = accessible === 2 ? ['2.0', '1.7'] : ['1.7', '2.0'];
  const message = `cannot name PDF/UA-${accessible}, which is of PDF ${version}, with PDF/A-${archive.part}, which is of PDF ${other}`;
  errors.add('options.conformance', `${message}: use PDF/UA-${3 - accessible}`);
}

/** Checks attachments: only some profiles allow them, and PDF/A-4f requires them. */
function checkAttachments(given: Given<'attachments'>, { archive, accessible }: Claims, errors: ValidationErrors): void {
  if (given.length && archive?.part === 2)
    errors.add('options.attachments', 'cannot be combined with a profile of PDF/A-2, which allows no files: use PDF/A-3');
  if (given.length && archive?.part === 4 && archive.level === '')
    errors.add('options.attachments', 'cannot be combined with PDF/A-4, which allows no files: use PDF/A-4f');
  if (!given.length && archive?.level === 'F')
    errors.add('options.attachments', 'must contain at least one file with PDF/A-4f; without files, use PDF/A-4');
  for (const [index, { description }] of given.entries())
    if (accessible === 2 && !description?.trim())
      errors.add(`options.attachments[${index}].description`, 'is required with PDF/UA-2');
}

function parseMetadata({ keywords, custom, ...given }: Given<'metadata'>, errors: ValidationErrors): FinishSettings['metadata'] {
  for (const name of TEXTS) errors.addAll(textErrors(`options.metadata.${name}`, given[name] ?? ''));
  for (const name of DATES)
    if (given[name] !== undefined && !isTime(given[name]))
      errors.add(`options.metadata.${name}`, 'must be a time such as 2026-01-31T12:00:00Z');
  const words = keywords === undefined ? undefined : [keywords].flat();
  for (const word of words ?? []) errors.addAll(textErrors('options.metadata.keywords', word));
  return { ...given, ...(words && { keywords: words }), ...(custom && { custom: parseCustom(custom, errors) }) };
}

const CUSTOM_NAME = /^[A-Za-z](?:[\w .-]{0,62}[\w.-])?$/;
/** Names of entries that have an option of their own. */
const STANDARD = ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'CreationDate', 'ModDate'];

function parseCustom(custom: Record<string, string>, errors: ValidationErrors): Record<string, string> {
  for (const [name, text] of Object.entries(custom)) {
    const path = `options.metadata.custom.${name.slice(0, 64)}`;
    const standard = STANDARD.find((each) => each.toLowerCase() === name.toLowerCase());
    if (!CUSTOM_NAME.test(name))
      errors.add(
        path,
        'is not a name of 1 to 64 letters, digits, spaces, `_`, `-` and `.` that begins with a letter and does not end with a space',
      );
    if (standard)
      errors.add(path, `has an option of its own: use options.metadata.${standard[0]?.toLowerCase()}${standard.slice(1)}`);
    if (name === 'Trapped' && !/^(?:True|False|Unknown)$/.test(text)) errors.add(path, 'must be True, False or Unknown');
    errors.addAll(textErrors(path, text));
  }
  return custom;
}

/** Whether the date exists in the calendar. The time zone does not matter. */
function isTime(text: string): boolean {
  const [, year, month, day, hour] = RFC_3339.exec(text)?.map(Number) ?? [];
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return Number(year) > 0 && Number(hour) < 24 && date.getUTCDate() === day && !Number.isNaN(Date.parse(text));
}

function parseAttachments(
  given: Given<'attachments'>,
  invoice: PdfOptions['invoice'],
  errors: ValidationErrors,
): FinishSettings['attachments'] {
  const names = new Set<string>();
  const reserved = invoice && invoiceFilename(invoice.profile);
  return given.map(({ name, type, content, description, relationship }, index) => {
    const at = `options.attachments[${index}]`;
    if (!isUsableFilename(name)) errors.add(`${at}.name`, 'must be the name of a file, without / and \\ and control characters');
    if (names.has(name)) errors.add(`${at}.name`, 'is also the name of another attachment: use a different name');
    if (name === reserved) errors.add(`${at}.name`, 'is the name of the file of options.invoice: use a different name');
    names.add(name);
    if (description !== undefined) errors.addAll(textErrors(`${at}.description`, description));
    return { name, type, description, relationship, content: decodeBase64(`${at}.content`, content, errors) };
  });
}

function parsePassword(given: PdfOptions['password'], errors: ValidationErrors): FinishSettings['password'] {
  if (given === undefined) return undefined;
  if (typeof given === 'string') {
    errors.addAll(passwordErrors('options.password', given));
    return { user: given, owner: undefined, permissions: undefined };
  }
  const { user, owner, permissions } = given;
  if (user === undefined && owner === undefined && permissions === undefined)
    errors.add('options.password', 'must contain user, owner or permissions');
  if (user !== undefined) errors.addAll(passwordErrors('options.password.user', user));
  if (owner !== undefined) errors.addAll(passwordErrors('options.password.owner', owner));
  if (user !== undefined && user === owner && permissions !== undefined)
    errors.add(
      'options.password.permissions',
      'have no effect if options.password.user and options.password.owner are the same: use two different passwords',
    );
  return { user: user ?? '', owner, permissions };
}
