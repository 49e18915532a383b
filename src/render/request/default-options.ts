/** Default options of an account: a request and the options of its account in, the request with those that it leaves out, out. */
import { invalidRequest } from '../../errors.ts';
import { isMembers, type Members } from '../../validate.ts';
import { parseRenderRequest, type RenderLimits } from './render-request.ts';
import { ImageOptions } from './schemas/image-schema.ts';
import { PdfOptions } from './schemas/options-schema.ts';

/** Option values as a request would send them. */
export type DefaultOptions = Readonly<Members>;

/** Options that cannot be combined. A default is left out if the request sends the other one. */
const ALTERNATIVES = [
  ['format', 'width'],
  ['format', 'height'],
  ['singlePage', 'height'],
  ['singlePage', 'pageRanges'],
  ['header', 'headerTemplate'],
  ['footer', 'footerTemplate'],
];
const OF_ONE_DOCUMENT = ['baseUrl', 'attachments', 'invoice', 'letterhead', 'signature'];
const TIMES = ['timeout', 'waitForTimeout', 'resourceTimeout'];
const SECRET = ['password', 'authenticate', 'cookies', 'extraHTTPHeaders'];
const MAX_CHARACTERS = 65_536;

const NAMES = { pdf: Object.keys(PdfOptions.properties), image: Object.keys(ImageOptions.properties) };
/** Options that a part of an assembly cannot have. */
export const ONLY_OF_WHOLE = ['timeout', 'failOnWarning'] as const;
/** Options that hold for the whole of an assembly of several parts, and not for one of them. */
const OF_WHOLE = [...ONLY_OF_WHOLE, 'metadata'] as const;
/** Members of a part of an assembly that make it a document that is rendered. */
export const RENDERED = ['html', 'markdown', 'url', 'template_id'] as const;

/** Adds the default options to the body of a request. A member that is null switches its default off. */
export function withDefaultOptions(
  body: unknown,
  defaults: DefaultOptions | undefined,
  kind: 'pdf' | 'image' | 'assembly',
): unknown {
  if (!defaults || !isMembers(body)) return body;
  if (kind !== 'assembly') return addOptions(body, defaults, NAMES[kind]);
  const isRendered = (part: unknown): part is Members =>
    isMembers(part) && RENDERED.some((name) => (part[name] ?? null) !== null);
  if (!Array.isArray(body.parts) || !body.parts.some(isRendered)) return body;
  const sent = isMembers(body.options) ? body.options : {};
  const ofParts = NAMES.pdf.filter((name) => !OF_WHOLE.some((each) => each === name));
  const parts = body.parts.map((part) => (isRendered(part) ? addOptions(part, defaults, ofParts, sent) : part));
  return { ...addOptions(body, defaults, OF_WHOLE), parts };
}

/** The defaults without times that are longer than renders of this kind may take. */
export function withoutLongTimes(
  defaults: DefaultOptions | undefined,
  { maxRenderTimeoutMs }: Pick<RenderLimits, 'maxRenderTimeoutMs'>,
): DefaultOptions {
  const isLong = ([name, value]: [string, unknown]) => TIMES.includes(name) && Number(value) > maxRenderTimeoutMs;
  return Object.fromEntries(Object.entries(defaults ?? {}).filter((each) => !isLong(each)));
}

/** `sent` are options of the request that hold for `body` as well. */
function addOptions(body: Members, defaults: DefaultOptions, names: readonly string[], sent: Members = {}): Members {
  const given = body.options ?? {};
  if (!isMembers(given)) return body;
  const isSent = (name: string) => (given[name] ?? sent[name] ?? null) !== null;
  const isReplaced = (name: string) =>
    name in sent || ALTERNATIVES.some((pair) => pair.includes(name) && pair.some((other) => other !== name && isSent(other)));
  const added = Object.entries(defaults).filter(([name]) => names.includes(name) && !isReplaced(name));
  return { ...body, options: { ...Object.fromEntries(added), ...given } };
}

/** Checks options that an account sends as its defaults, as those of a request. Throws `invalid_request`. */
export function parseDefaultOptions(given: Members, limits: RenderLimits): DefaultOptions {
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const errors = Object.keys(options).flatMap((name) => {
    const path = `options.${name}`;
    if (SECRET.includes(name)) return [{ path, message: 'cannot be a default, because it is secret: send it with each request' }];
    if (OF_ONE_DOCUMENT.includes(name)) return [{ path, message: 'cannot be a default: send it with each request' }];
    return [];
  });
  if (JSON.stringify(options).length > MAX_CHARACTERS)
    errors.push({ path: 'options', message: `must have at most ${MAX_CHARACTERS} characters as JSON` });
  if (errors.length) throw invalidRequest(errors);
  parseRenderRequest({ html: '', options }, limits);
  return options;
}
