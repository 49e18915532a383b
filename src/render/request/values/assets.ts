/** Files that come with a document: assets of a JSON body and uploaded files in, the files that its page is served out. */
import { isUtf8 } from 'node:buffer';
import mime from 'mime';
import { type Static, Type } from 'typebox';
import type { HostedFile, HostedFiles } from '../../../chromium/load/load-settings.ts';
import { ServiceError } from '../../../errors.ts';
import { decodeBase64 } from './base64.ts';
import type { ValidationErrors } from './validation-errors.ts';

export interface AssetLimits {
  maxAssets: number;
  maxAssetsBytes: number;
}

/** A file of a multipart form. */
export interface UploadedFile {
  path: string;
  /** The media type that the client sent, which is often just `application/octet-stream`. */
  type: string | undefined;
  content: Buffer;
}

const MAX_PATH = 500;
const UNKNOWN_TYPE = 'application/octet-stream';
/** RFC 6838, 4.2. */
export const MEDIA_TYPE_NAME = '[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+';
const MEDIA_TYPE = `^${MEDIA_TYPE_NAME}([ \\t]*;[ \\t]*[Cc][Hh][Aa][Rr][Ss][Ee][Tt]=[A-Za-z0-9_.:-]+)?$`;
const IS_MEDIA_TYPE = new RegExp(MEDIA_TYPE);
const CONTROL_OR_BACKSLASH = /[\p{Cc}\\]/u;

const AssetSchema = Type.Object(
  {
    content: Type.String({ contentEncoding: 'base64', expected: 'base64' }),
    type: Type.Optional(
      Type.String({
        maxLength: 128,
        pattern: MEDIA_TYPE,
        expected: 'a media type such as image/png',
        description: 'Default: by the file extension.',
      }),
    ),
  },
  { $id: 'Asset', additionalProperties: false },
);

const EXPECTED = 'an object {content, type}';

export const AssetsSchema = Type.Record(
  Type.String(),
  { ...AssetSchema, expected: EXPECTED },
  {
    $id: 'Assets',
    additionalProperties: false, // the pattern matches no line breaks, so such names would otherwise be unchecked
    expected: 'an object of paths and files {content, type}',
    description:
      'Files beside the document, by their paths. Relative URLs in the document resolve to them. `content` is base64. They exist for this render only. Default: none.',
    examples: [{ 'css/print.css': { content: 'aDEge30=' } }],
  },
);

/** Changes some of the files that are stored. */
export const AssetChangesSchema = Type.Record(
  Type.String(),
  { ...Type.Union([AssetSchema, Type.Null()]), expected: `${EXPECTED}, or null` },
  {
    $id: 'AssetChanges',
    additionalProperties: false,
    expected: 'an object of paths and files {content, type} or null',
    description: 'Files by their paths: adds or replaces these, and removes those that are null. The others stay.',
    examples: [{ 'css/print.css': { content: 'aDEge30=' }, 'old.png': null }],
  },
);

type Given = Static<typeof AssetsSchema>;

/** Returns undefined if there are no files. Throws `content_too_large`. */
export function parseAssets(
  given: Given | undefined,
  uploaded: readonly UploadedFile[],
  { maxAssets = 0, maxAssetsBytes = 0 }: Partial<AssetLimits>,
  errors: ValidationErrors,
): HostedFiles | undefined {
  const named = Object.entries(given ?? {});
  const count = named.length + uploaded.length;
  if (!count) return undefined;
  if (count > maxAssets) {
    errors.add('assets', `must have at most ${maxAssets} files on this server; ${count} were sent`);
    return undefined;
  }
  const files = new Map<string, HostedFile>();
  const add = (at: string, path: string, type: string | undefined, content: Buffer) => {
    const name = trimPath(path);
    if (!isUsable(name)) errors.add(at, `must be a relative path such as css/print.css, of at most ${MAX_PATH} characters`);
    if (type !== undefined && !IS_MEDIA_TYPE.test(type)) errors.add(`${at}.type`, 'must be a media type such as image/png');
    if (files.has(name)) errors.add(at, 'is the path of another file');
    files.set(name, { type: detectType(name, type, content), content });
  };
  for (const [path, { content, type }] of named) {
    const at = `assets.${path.slice(0, 64)}`;
    add(at, path, type, decodeBase64(`${at}.content`, content, errors));
  }
  for (const { path, type, content } of uploaded) add(`files: ${path.slice(0, 64)}`, path, type, content);
  checkBytes(files, maxAssetsBytes);
  return files;
}

type Changes = Static<typeof AssetChangesSchema>;

/** The files to add or replace, as they were sent, and the paths of those to remove. */
export function splitAssetChanges(changes: Changes): { added: Given; removed: string[] } {
  const added = Object.entries(changes).filter((entry): entry is [string, Given[string]] => entry[1] !== null);
  const removed = Object.keys(changes).filter((path) => changes[path] === null);
  return { added: Object.fromEntries(added), removed: removed.map(trimPath) };
}

/** The files to add or replace, and null for those to remove. Undefined if none were sent. Throws like `parseAssets`. */
export function parseAssetChanges(
  given: Changes | undefined,
  limits: Partial<AssetLimits>,
  errors: ValidationErrors,
): ReadonlyMap<string, HostedFile | null> | undefined {
  if (!given) return undefined;
  const { added, removed } = splitAssetChanges(given);
  const files = parseAssets(added, [], limits, errors) ?? [];
  return new Map<string, HostedFile | null>([...removed.map((path) => [path, null] as const), ...files]);
}

function trimPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

function checkBytes(files: HostedFiles, limit: number): void {
  const actual = [...files.values()].reduce((sum, { content }) => sum + content.length, 0);
  if (actual <= limit) return;
  throw new ServiceError('content_too_large', `assets have ${actual} bytes together; at most ${limit} are allowed`, {
    members: { limit, actual },
  });
}

/** Whether a relative URL can name the path without leaving the folder of the document. */
function isUsable(path: string): boolean {
  if (path.length > MAX_PATH || !path.isWellFormed() || CONTROL_OR_BACKSLASH.test(path)) return false;
  return path.split('/').every((step) => !['', '.', '..'].includes(step));
}

function detectType(path: string, given: string | undefined, content: Buffer): string {
  const type = given && given.toLowerCase() !== UNKNOWN_TYPE ? given : (mime.getType(path) ?? UNKNOWN_TYPE);
  const isText = type.startsWith('text/') && !type.includes(';');
  return isText && isUtf8(content) ? `${type}; charset=utf-8` : type;
}
