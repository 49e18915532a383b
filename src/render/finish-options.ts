/** Options for finishing a printed PDF: the caller's options in, the finishing plan out. */
import { type Claims, claimsOf } from '../pdf/conformance/profiles.ts';
import { type FinishSettings, RFC_3339 } from '../pdf/finish-settings.ts';
import { textErrors } from '../validate.ts';
import { decodeBase64 } from './base64.ts';
import { isUsableFilename } from './filename.ts';
import type { PdfOptions } from './options-schema.ts';
import { passwordErrors } from './password.ts';
import type { ValidationErrors } from './validation-errors.ts';
import { parseWatermark, type Watermark } from './watermark.ts';

/** The finishing plan before the document is printed and the owner is known. */
export interface FinishPlan extends Omit<FinishSettings, 'watermark' | 'boundary' | 'conformance'> {
  watermark: Watermark | undefined;
  /** What the PDF is to claim. */
  conformance: Claims | undefined;
}

type Given<Name extends keyof PdfOptions> = NonNullable<PdfOptions[Name]>;

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i;
const TEXTS = ['title', 'author', 'subject', 'creator'] as const;
const DATES = ['creationDate', 'modDate'] as const;

export function parseFinishing(options: PdfOptions, errors: ValidationErrors): FinishPlan {
  const conformance = parseConformance(options, errors);
  const tagged = options.tagged ?? conformance !== undefined;
  const outline = options.outline ?? false;
  if (outline && options.tagged === false)
    errors.add('options.tagged', 'cannot be false with options.outline: bookmarks are made from the tags');
  if (options.compress === false && options.password !== undefined)
    errors.add('options.compress', 'cannot be false with options.password: an encrypted PDF always uses object streams');
  return {
    metadata: parseMetadata(options.metadata ?? {}, errors),
    compress: options.compress ?? (tagged || outline),
    attachments: parseAttachments(options.attachments ?? [], errors),
    watermark: options.watermark && parseWatermark(options.watermark, errors),
    password: parsePassword(options.password, errors),
    conformance,
  };
}

/** The rules of one PDF: a profile of each standard at most, and nothing that they forbid. */
function parseConformance(options: PdfOptions, errors: ValidationErrors): Claims | undefined {
  if (options.conformance === undefined) return undefined;
  const profiles = [options.conformance].flat();
  const claims = claimsOf(profiles);
  const archives = profiles.filter((profile) => profile.startsWith('PDF/A'));
  if (archives.length > 1 || new Set(profiles).size < profiles.length)
    errors.add('options.conformance', 'must name at most one profile of PDF/A and one of PDF/UA');
  if (options.tagged === false) errors.add('options.tagged', 'cannot be false with options.conformance');
  if (options.password !== undefined) errors.add('options.password', 'cannot be combined with options.conformance');
  if (claims.archive?.part === 2 && options.attachments?.length)
    errors.add('options.attachments', 'cannot be combined with a profile of PDF/A-2, which allows no files: use PDF/A-3');
  return claims;
}

function parseMetadata(given: Given<'metadata'>, errors: ValidationErrors): FinishSettings['metadata'] {
  const metadata: FinishSettings['metadata'] = {};
  for (const name of TEXTS) {
    const text = given[name];
    if (text === undefined) continue;
    errors.addAll(textErrors(`options.metadata.${name}`, text));
    metadata[name] = text;
  }
  for (const name of DATES) {
    const time = given[name];
    if (time === undefined) continue;
    if (!isTime(time)) errors.add(`options.metadata.${name}`, 'must be a time such as 2026-01-31T12:00:00Z');
    metadata[name] = time;
  }
  if (given.keywords !== undefined) metadata.keywords = [given.keywords].flat();
  for (const word of metadata.keywords ?? []) errors.addAll(textErrors('options.metadata.keywords', word));
  return metadata;
}

/** Whether the date exists in the calendar. The time zone does not matter. */
function isTime(text: string): boolean {
  const [, year, month, day, hour] = RFC_3339.exec(text)?.map(Number) ?? [];
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return Number(year) > 0 && Number(hour) < 24 && date.getUTCDate() === day && !Number.isNaN(Date.parse(text));
}

function parseAttachments(given: Given<'attachments'>, errors: ValidationErrors): FinishSettings['attachments'] {
  const names = new Set<string>();
  return given.map(({ name, type, content, description }, index) => {
    const at = `options.attachments[${index}]`;
    if (!isUsableFilename(name)) errors.add(`${at}.name`, 'must be the name of a file, without / and \\ and control characters');
    if (names.has(name)) errors.add(`${at}.name`, 'is also the name of another attachment: use a different name');
    names.add(name);
    if (type !== undefined && !MEDIA_TYPE.test(type)) errors.add(`${at}.type`, 'must be a media type such as text/csv');
    if (description !== undefined) errors.addAll(textErrors(`${at}.description`, description));
    return { name, type, description, content: decodeBase64(`${at}.content`, content, errors) };
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
    errors.add('options.password', 'must hold user, owner or permissions');
  if (user !== undefined) errors.addAll(passwordErrors('options.password.user', user));
  if (owner !== undefined) errors.addAll(passwordErrors('options.password.owner', owner));
  if (user !== undefined && user === owner && permissions !== undefined)
    errors.add(
      'options.password.permissions',
      'have no effect if options.password.user and options.password.owner are the same: use two different passwords',
    );
  return { user: user ?? '', owner, permissions };
}
