/** What is to become of a printed PDF: the caller's options in, the plan of its finishing out. */
import type { FinishSettings } from '../pdf/finish-settings.ts';
import { faultsOfText } from '../validate.ts';
import { decodeBase64 } from './base64.ts';
import type { Faults } from './faults.ts';
import { isUsableFilename } from './filename.ts';
import { MAX_PASSWORD_BYTES } from './finish-schema.ts';
import type { PdfOptions } from './options-schema.ts';
import { parseWatermark, type Watermark } from './watermark.ts';

/** The watermark has yet to be printed. */
export interface FinishPlan extends Omit<FinishSettings, 'watermark'> {
  watermark: Watermark | undefined;
}

type Given<Name extends keyof PdfOptions> = NonNullable<PdfOptions[Name]>;

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const TEXTS = ['title', 'author', 'subject', 'creator'] as const;
const DATES = ['creationDate', 'modDate'] as const;

export function parseFinishing(options: PdfOptions, errors: Faults): FinishPlan {
  const tagged = options.tagged ?? false;
  const outline = options.outline ?? false;
  if (outline && options.tagged === false)
    errors.add('options.tagged', 'cannot be false with options.outline: bookmarks are made from the tags');
  return {
    metadata: parseMetadata(options.metadata ?? {}, errors),
    compress: options.compress ?? (tagged || outline),
    attachments: parseAttachments(options.attachments ?? [], errors),
    watermark: options.watermark && parseWatermark(options.watermark, errors),
    password: parsePassword(options.password, errors),
  };
}

function parseMetadata(given: Given<'metadata'>, errors: Faults): FinishSettings['metadata'] {
  const metadata: FinishSettings['metadata'] = {};
  for (const name of TEXTS) {
    const text = given[name];
    if (text === undefined) continue;
    errors.addAll(faultsOfText(`options.metadata.${name}`, text));
    metadata[name] = text;
  }
  for (const name of DATES) {
    const time = given[name];
    if (time === undefined) continue;
    if (!TIME.test(time) || Number.isNaN(Date.parse(time)))
      errors.add(`options.metadata.${name}`, 'must be a time such as 2026-01-31T12:00:00Z');
    metadata[name] = time;
  }
  if (given.keywords !== undefined) metadata.keywords = [given.keywords].flat();
  for (const word of metadata.keywords ?? []) errors.addAll(faultsOfText('options.metadata.keywords', word));
  return metadata;
}

function parseAttachments(given: Given<'attachments'>, errors: Faults): FinishSettings['attachments'] {
  const names = new Set<string>();
  return given.map(({ name, type, content, description }, index) => {
    const at = `options.attachments[${index}]`;
    if (!isUsableFilename(name)) errors.add(`${at}.name`, 'must be the name of a file, without / and \\ and control characters');
    if (names.has(name)) errors.add(`${at}.name`, 'is the name of another attachment');
    names.add(name);
    if (type !== undefined && !MEDIA_TYPE.test(type)) errors.add(`${at}.type`, 'must be a media type such as text/csv');
    if (description !== undefined) errors.addAll(faultsOfText(`${at}.description`, description));
    return { name, type, description, content: decodeBase64(`${at}.content`, content, errors) };
  });
}

function parsePassword(given: PdfOptions['password'], errors: Faults): FinishSettings['password'] {
  if (given === undefined) return undefined;
  if (typeof given === 'string') {
    checkPassword('options.password', given, errors);
    return { user: given, owner: undefined, permissions: undefined };
  }
  const { user, owner, permissions } = given;
  if (user === undefined && owner === undefined && permissions === undefined)
    errors.add('options.password', 'must hold user, owner or permissions');
  for (const [name, password] of Object.entries({ user, owner }))
    if (password !== undefined) checkPassword(`options.password.${name}`, password, errors);
  if (user !== undefined && user === owner && permissions !== undefined)
    errors.add(
      'options.password.permissions',
      'hold for nobody where options.password.user and options.password.owner are the same',
    );
  return { user: user ?? '', owner, permissions };
}

function checkPassword(path: string, password: string, errors: Faults): void {
  errors.addAll(faultsOfText(path, password));
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    errors.add(path, `must have at most ${MAX_PASSWORD_BYTES} bytes of UTF-8`);
}
