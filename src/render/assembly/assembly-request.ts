/** Parses the body of `POST /v1/pdf/assemble`. The result is valid once built, apart from what only the parts tell. */
import type { HostedFiles } from '../../chromium/load/load-settings.ts';
import { errorsWithin, hasCode } from '../../errors.ts';
import type { ConformStep } from '../../pdf/assemble/conform.ts';
import type { DrawStep } from '../../pdf/assemble/draw-on-pages.ts';
import { EXTRACTED_BY_DEFAULT, type ExtractStep } from '../../pdf/assemble/extract.ts';
import { PAGE_CHOICE_EXPECTED, parsePageChoice } from '../../pdf/assemble/page-choice.ts';
import type { RedactStep } from '../../pdf/assemble/redact-step.ts';
import type { SplitStep } from '../../pdf/assemble/split.ts';
import { OF_OPTIONS, type Step } from '../../pdf/assemble/steps.ts';
import { toClaims } from '../../pdf/conformance/profiles.ts';
import type { Password } from '../../pdf/finish-settings.ts';
import type { Dropped } from '../../pdf/merge/merge-catalog.ts';
import { expressionSize, MAX_EXPRESSION_SIZE } from '../../pdf/redact/expression-size.ts';
import { Search } from '../../pdf/redact/search.ts';
import { POINTS_PER_INCH } from '../../units.ts';
import { textErrors, validator } from '../../validate.ts';
import { ONLY_OF_WHOLE, RENDERED } from '../request/default-options.ts';
import { type FinishPlan, parseFinishing } from '../request/finish-options.ts';
import { parseLoading } from '../request/load-options.ts';
import { parseRenderRequest, type RenderLimits, type RenderRequest } from '../request/render-request.ts';
import { AssemblyBody, type GivenDraw, type GivenPart, type GivenStep, StepSchema } from '../request/schemas/assembly-schema.ts';
import { equivalentOption } from '../request/schemas/equivalent-options.ts';
import type { PdfOptions } from '../request/schemas/options-schema.ts';
import type { SignaturePlan } from '../request/signature-options.ts';
import { parseAssets, type UploadedFile } from '../request/values/assets.ts';
import { isUsableFilename } from '../request/values/filename.ts';
import { type GivenFile, parseFile } from '../request/values/given-file.ts';
import { toInches } from '../request/values/lengths.ts';
import { type Metadata, parseMetadata } from '../request/values/metadata.ts';
import { ValidationErrors } from '../request/values/validation-errors.ts';
import { findBrokenClaims } from './kept-claims.ts';
import { MAX_MARKS_LENGTH, type Mark, markLength, parseMark } from './marks.ts';

export interface PartPlan {
  from: { request: RenderRequest } | GivenFile;
  pages: string | undefined;
  /** Undefined for the title of what is rendered or stored. */
  title: string | undefined;
  /** Of a part that has no other. Undefined for its number. */
  fallbackTitle?: string | undefined;
  password: string | undefined;
}

/** What is drawn on pages, before it is a PDF. */
export interface DrawPlan extends Omit<DrawStep, 'source' | 'sourcePages' | 'isForeign' | 'isText'> {
  from: { mark: Mark } | GivenFile;
}

export type StepPlan =
  | Exclude<Step, { draw: DrawStep } | { letterhead: object }>
  | { draw: DrawPlan }
  | { letterhead: { from: GivenFile; pages: string | undefined } };

export interface AssemblyRequest {
  source: { kind: 'assembly' };
  parts: PartPlan[];
  /** With their numbers in the request. */
  steps: Array<{ number: number; step: StepPlan }>;
  split: { number: number; step: SplitStep } | undefined;
  extract: { number: number; step: ExtractStep } | undefined;
  /** Whether parts are meant to lose their protection. */
  decrypts: boolean;
  password: Password | undefined;
  conform: { number: number; step: ConformStep } | undefined;
  signatures: Array<{ number: number; plan: SignaturePlan }>;
  /** What the whole does not take from options of parts. */
  lost: Dropped[];
  dropsSignatures: boolean;
  store: boolean | undefined;
  keptMs?: number | undefined;
  filename: string | undefined;
  metadata: Metadata;
  isDryRun: boolean;
  timeoutMs: number;
  failOnWarning: RenderRequest['failOnWarning'];
  /** Makes the result of the PDFs. Undefined for the only PDF, or an archive of those that a split makes. */
  pack?: ((files: Buffer[]) => Promise<Packed>) | undefined;
}

export interface Packed {
  /** Media type. */
  type: string;
  chunks: Buffer[];
  bytes: number;
}

/** Whether the result is one PDF, which can be stored. */
export function makesOnePdf(request: object): boolean {
  const { split, extract } = request as Partial<AssemblyRequest>;
  return !split && !extract;
}

const checkBody = validator(AssemblyBody, equivalentOption);

const GIVEN = ['document_id', 'file'] as const;
const OF_RENDERED = ['stylesheet', 'data', 'options'] as const;
const DRAWN = ['text', 'html', 'image', 'file', 'document_id'] as const;

/** Throws `invalid_request` with all errors, and `content_too_large`. */
export function parseAssemblyRequest(
  body: unknown,
  limits: RenderLimits,
  uploaded: readonly UploadedFile[] = [],
): AssemblyRequest {
  const { parts, steps = [], options = {}, drop_signatures: dropsSignatures = false, ...others } = checkBody(body);
  const errors = new ValidationErrors();
  const { store, filename, dry_run: isDryRun = false } = others;
  if (filename !== undefined && !isUsableFilename(filename))
    errors.add('filename', 'must be the name of a file, without a folder');
  const files = parseAssets(others.assets, uploaded, limits, errors) ?? new Map();
  const metadata = parseMetadata(others.metadata, errors);
  const { timeoutMs, failOnWarning } = parseLoading({ options }, limits, errors);
  const { ofParts, ofWhole } = divideOptions(options, parts, findLetterheadMargin(steps, parts, options, errors));
  const parsed = new PartParser(limits, files, ofParts, errors);
  const plans = parts.map((part, index) => parsed.parse(part, `parts[${index}]`));
  const { plans: planned, ...ends } = parseSteps(steps, files, errors);
  if (ofWhole) planned.unshift({ number: OF_OPTIONS, step: parseMetadataStep(ofWhole, 'options.metadata', errors) });
  errors.addAll(
    findBrokenClaims(
      plans.filter((plan) => plan !== undefined),
      steps,
    ),
  );
  if (ends.split && store) errors.add('store', 'cannot be combined with the step split, which makes several PDFs');
  if (ends.extract && store) errors.add('store', 'cannot be combined with the step extract, which makes no PDF');
  errors.throwIfAny();
  return {
    source: { kind: 'assembly' },
    parts: plans.filter((plan) => plan !== undefined),
    steps: planned,
    ...ends,
    lost: parts.length > 1 ? parts.flatMap(lostMetadata) : [],
    ...{ dropsSignatures, store, filename, metadata, isDryRun, timeoutMs, failOnWarning },
  };
}

/** What all parts that are rendered get, and the metadata of the whole, if it is joined from several. */
function divideOptions(options: PdfOptions, parts: readonly GivenPart[], margin: PdfOptions['margin']) {
  const shared = margin === undefined ? options : { ...options, margin };
  if (parts.length === 1 || !parts.some(isRendered)) return { ofParts: shared, ofWhole: undefined };
  const { metadata: ofWhole, ...ofParts } = shared;
  return { ofParts, ofWhole };
}

/** The margin that a letterhead needs, which is that of the parts that are rendered on it. */
function findLetterheadMargin(
  steps: readonly GivenStep[],
  parts: readonly GivenPart[],
  options: PdfOptions,
  errors: ValidationErrors,
): PdfOptions['margin'] {
  const number = steps.findIndex(({ letterhead }) => letterhead?.margin !== undefined);
  if (number < 0) return undefined;
  const path = `steps[${number}].letterhead.margin`;
  if (options.margin !== undefined) errors.add(path, 'cannot be combined with options.margin');
  if (!parts.some(isRendered)) errors.add(path, 'is for parts that are rendered, of which there are none');
  return steps[number]?.letterhead?.margin;
}

/** Only the title of a part is used, for its bookmark. */
function lostMetadata({ options }: GivenPart, part: number): Dropped[] {
  const { title: _, ...others } = options?.metadata ?? {};
  const why = 'the whole has that of options beside parts';
  return Object.keys(others).length ? [{ what: 'metadata', why, part }] : [];
}

function isRendered(part: GivenPart): boolean {
  return RENDERED.some((name) => part[name] !== undefined);
}

/** Reading so many takes about half a second. */
const MAX_OPTIONS_LENGTH = 134_217_728;

class PartParser {
  readonly #limits: RenderLimits;
  readonly #files: HostedFiles;
  readonly #options: PdfOptions;
  readonly #errors: ValidationErrors;
  readonly #lengths = new Map<object, number>();
  #optionsLength = 0;

  constructor(limits: RenderLimits, files: HostedFiles, options: PdfOptions, errors: ValidationErrors) {
    this.#limits = limits;
    this.#files = files;
    this.#options = options;
    this.#errors = errors;
  }

  parse(part: GivenPart, at: string): PartPlan | undefined {
    const kind = this.#findKind(part, at);
    checkPages(`${at}.pages`, part.pages, this.#errors);
    this.#errors.addAll(textErrors(`${at}.title`, part.title ?? ''));
    const from = kind === 'existing' ? parseFile(part, at, this.#files, this.#errors) : kind && this.#parseRendered(part, at);
    const { pages, password, title = nameOf(part.file, this.#files) } = part;
    return from && { from, pages, title, password };
  }

  #findKind(part: GivenPart, at: string): 'existing' | 'rendered' | undefined {
    const [first, ...more] = [...RENDERED, ...GIVEN].filter((name) => part[name] !== undefined);
    for (const name of more) this.#errors.add(`${at}.${name}`, `cannot be combined with ${first}`);
    if (!first) this.#errors.add(at, `must have one of ${[...RENDERED, ...GIVEN].join(', ')}`);
    const isExisting = GIVEN.some((name) => name === first);
    const others = isExisting ? OF_RENDERED : (['password'] as const);
    for (const name of others.filter((name) => part[name] !== undefined))
      this.#errors.add(`${at}.${name}`, isExisting ? 'is only for parts that are rendered' : 'is only for PDFs that exist');
    return first && (isExisting ? 'existing' : 'rendered');
  }

  /** Each part that is rendered has the options of the request, and reads what they hold. */
  #isTooLong(options: PdfOptions, at: string): boolean {
    const wasTooLong = this.#optionsLength > MAX_OPTIONS_LENGTH;
    for (const value of Object.values(options)) this.#optionsLength += this.#lengthOf(value);
    const isTooLong = this.#optionsLength > MAX_OPTIONS_LENGTH;
    if (isTooLong && !wasTooLong)
      this.#errors.add(
        at,
        `brings the options of all parts to more than ${MAX_OPTIONS_LENGTH} characters: name stored documents or files of a form, or use steps`,
      );
    return isTooLong;
  }

  #lengthOf(value: unknown): number {
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return 0;
    const known = this.#lengths.get(value);
    if (known !== undefined) return known;
    const length = Object.values(value).reduce((sum: number, each) => sum + this.#lengthOf(each), 0);
    this.#lengths.set(value, length);
    return length;
  }

  #parseRendered({ html, markdown, stylesheet, url, template_id, data, options = {} }: GivenPart, at: string) {
    const own = { ...this.#options, ...options };
    if (this.#isTooLong(own, at)) return undefined;
    for (const name of ['password', 'signature'] as const)
      if (own[name] !== undefined) this.#errors.add(`${at}.options.${name}`, 'is for a whole PDF: use a step');
    for (const name of ONLY_OF_WHOLE)
      if (options[name] !== undefined)
        this.#errors.add(`${at}.options.${name}`, 'is for the whole: set it in options beside parts');
    const body = { html, markdown, stylesheet, url, template_id, data, options: own };
    const request = this.#collect(at, () => parseRenderRequest(body, this.#limits, [], this.#files));
    if (!request || !this.#files.size || request.source.kind === 'url' || request.baseUrl !== undefined)
      return request && { request };
    return { request: { ...request, assets: this.#files } };
  }

  /** Collects the errors of a request that is a part. */
  #collect<T>(at: string, parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      if (!hasCode(error, 'invalid_request')) throw error;
      this.#errors.addAll(errorsWithin(at, error));
      return undefined;
    }
  }
}

/** The name of a file without folders and extension. */
function nameOf(file: string | undefined, files: HostedFiles): string | undefined {
  return file !== undefined && files.has(file) ? file.replace(/^.*\/|\.pdf$/gi, '') : undefined;
}

function checkPages(path: string, pages: string | undefined, errors: ValidationErrors): void {
  if (pages !== undefined && !parsePageChoice(pages)) errors.add(path, `must be ${PAGE_CHOICE_EXPECTED}`);
}

interface Steps extends Pick<AssemblyRequest, 'split' | 'extract' | 'decrypts' | 'password' | 'conform' | 'signatures'> {
  plans: AssemblyRequest['steps'];
}

const LAST = ['encrypt', 'conform', 'sign', 'split', 'extract'] as const;
/** What may follow a step that ends the PDF. */
const AFTER_LAST: Readonly<Record<string, readonly string[]>> = {
  encrypt: ['split'],
  conform: ['sign', 'split'],
  sign: ['sign'],
};

function parseSteps(given: readonly GivenStep[], files: HostedFiles, errors: ValidationErrors): Steps {
  const steps: Steps = {
    plans: [],
    split: undefined,
    extract: undefined,
    decrypts: false,
    password: undefined,
    conform: undefined,
    signatures: [],
  };
  let ended: string | undefined;
  const marks = { length: 0 };
  for (const [number, step] of given.entries()) {
    const at = `steps[${number}]`;
    const names = Object.keys(step) as Array<keyof GivenStep>;
    const [name, ...more] = names;
    if (!name || more.length) {
      errors.add(at, `must have exactly one of ${Object.keys(StepSchema.properties).join(', ')}`);
      continue;
    }
    const mayFollow = ended === undefined || AFTER_LAST[ended]?.includes(name);
    if (!mayFollow) errors.add(`${at}.${name}`, `cannot follow ${ended}, which ends the PDF`);
    if (LAST.some((last) => last === name)) ended = name;
    parseStep(step, { marks, at, number, files, errors }, steps);
  }
  return steps;
}

interface Place {
  /** Of all steps before. */
  marks: { length: number };
  at: string;
  number: number;
  files: HostedFiles;
  errors: ValidationErrors;
}

function parseStep(step: GivenStep, place: Place, steps: Steps): void {
  const { number, at, errors } = place;
  if (step.split) steps.split = { number, step: parseSplit(step.split, at, errors) };
  else if (step.extract) steps.extract = { number, step: { what: step.extract.what ?? EXTRACTED_BY_DEFAULT } };
  else if (step.conform) steps.conform = { number, step: parseConform(step.conform, at, errors) };
  else if (step.sign) {
    const { signature } = parseFinish({ signature: step.sign }, `${at}.sign`, errors);
    if (signature) steps.signatures.push({ number, plan: signature });
  } else if (step.decrypt) steps.decrypts = true;
  else if (step.encrypt) steps.password = parseFinish({ password: step.encrypt }, `${at}.encrypt`, errors).password;
  else {
    const plan = toPlan(step, place);
    if (plan) steps.plans.push({ number, step: plan });
  }
}

function parseConform({ profile }: NonNullable<GivenStep['conform']>, at: string, errors: ValidationErrors): ConformStep {
  const profiles = [profile].flat();
  const isOne = (standard: string) => profiles.filter((each) => each.startsWith(standard)).length < 2;
  if (!isOne('PDF/A') || !isOne('PDF/UA'))
    errors.add(`${at}.conform.profile`, 'must name at most one profile of PDF/A and one of PDF/UA');
  const { archive, accessible } = toClaims(profiles);
  if (archive && accessible && (archive.part === 4) !== (accessible === 2))
    errors.add(`${at}.conform.profile`, 'must combine PDF/A-4 with PDF/UA-2, and other parts with PDF/UA-1');
  return { profiles };
}

function parseSplit(split: NonNullable<GivenStep['split']>, at: string, errors: ValidationErrors): SplitStep {
  const given = (['every', 'ranges', 'at', 'max_bytes'] as const).filter((name) => split[name] !== undefined);
  if (given.length !== 1) errors.add(`${at}.split`, 'must have exactly one of every, ranges, at, max_bytes');
  for (const [index, pages] of (split.ranges ?? []).entries()) checkPages(`${at}.split.ranges[${index}]`, pages, errors);
  const { max_bytes: maxBytes, ...others } = split;
  return { ...others, maxBytes };
}

function toPlan(step: GivenStep, place: Place): StepPlan | undefined {
  const { at, errors, files } = place;
  const pagesOf = (name: 'select' | 'rotate' | 'letterhead') => {
    const pages = step[name]?.pages;
    checkPages(`${at}.${name}.pages`, pages, errors);
    return pages;
  };
  if (step.select) return { select: { pages: pagesOf('select') } };
  if (step.rotate) return { rotate: { angle: step.rotate.angle, pages: pagesOf('rotate') } };
  if (step.stamp) return toDraw(step.stamp, 'over', `${at}.stamp`, place);
  if (step.watermark) return toDraw(step.watermark, 'under', `${at}.watermark`, place);
  if (step.letterhead) {
    const from = parseFile(step.letterhead, `${at}.letterhead`, files, errors);
    if (!GIVEN.some((name) => step.letterhead?.[name] !== undefined))
      errors.add(`${at}.letterhead`, 'must have file or document_id');
    return from && { letterhead: { from, pages: pagesOf('letterhead') } };
  }
  if (step.bookmarks) return { bookmarks: parseBookmarks(step.bookmarks, `${at}.bookmarks`, errors) };
  return toPlainPlan(step, at, errors);
}

function parseBookmarks({ mode, items }: NonNullable<GivenStep['bookmarks']>, at: string, errors: ValidationErrors) {
  if (mode === undefined && items === undefined) errors.add(at, 'must have mode or items');
  if (!items) return { bookmarks: mode ?? 'keep' };
  if (mode !== undefined && mode !== 'keep') errors.add(at, `cannot have items with mode ${mode}`);
  if (mode && items.some(({ part }) => part === undefined)) errors.add(`${at}.items`, 'must each have a part with mode keep');
  return { bookmarks: items, keepsOthers: mode === 'keep' };
}

/** Steps whose options are those of a print. */
function toPlainPlan(step: GivenStep, at: string, errors: ValidationErrors): StepPlan | undefined {
  if (step.metadata) return parseMetadataStep(step.metadata, `${at}.metadata`, errors);
  if (step.attach)
    return { attach: { files: parseFinish({ attachments: step.attach.files }, `${at}.attach.files`, errors).attachments } };
  if (step.optimize) return { optimize: step.optimize };
  if (step.compose) return toCompose(step.compose, `${at}.compose`, errors);
  if (step.redact) return parseRedaction(step.redact, `${at}.redact`, errors);
  if (step.flatten) return { flatten: { annotations: step.flatten.annotations ?? false } };
  return step.fill && { fill: { fields: step.fill.fields } };
}

function parseMetadataStep(metadata: NonNullable<PdfOptions['metadata']>, at: string, errors: ValidationErrors): StepPlan {
  return { metadata: parseFinish({ metadata }, at, errors).metadata };
}

function parseRedaction(
  given: NonNullable<GivenStep['redact']>,
  at: string,
  errors: ValidationErrors,
): { redact: RedactStep } | undefined {
  const { texts = [], expressions = [], boxes = [], color = '#000000', origin = 'top-left' } = given;
  const { ignore_case: ignoresCase = false, drop_attachments: dropsAttachments = false } = given;
  if (!texts.length && !expressions.length && !boxes.length && !dropsAttachments)
    errors.add(at, 'must have at least one of texts, expressions, boxes');
  for (const [index, text] of texts.entries())
    if (new Search({ texts: [text], expressions: [], ignoresCase }).isEmpty)
      errors.add(`${at}.texts[${index}]`, 'must have a character that can be seen');
  checkExpressions(expressions, ignoresCase, `${at}.expressions`, errors);
  const shares =
    color === 'none' ? undefined : [1, 3, 5].map((digit) => Number.parseInt(color.slice(digit, digit + 2), 16) / 255);
  return {
    redact: { texts, expressions, ignoresCase, boxes, isFromBottom: origin === 'bottom-left', color: shares, dropsAttachments },
  };
}

/** They are not compiled if compiling them would take long. */
function checkExpressions(expressions: readonly string[], ignoresCase: boolean, at: string, errors: ValidationErrors): void {
  const size = expressions.reduce((sum, each) => sum + expressionSize(each), 0);
  if (size > MAX_EXPRESSION_SIZE) {
    errors.add(at, 'are too large together: send fewer, or repeat less with {n}, and fewer groups');
    return;
  }
  for (const [index, expression] of expressions.entries()) {
    try {
      new Search({ texts: [], expressions: [expression], ignoresCase });
    } catch (error) {
      errors.add(`${at}[${index}]`, `must be an expression of RE2: ${(error as Error).message.slice(0, 200)}`);
    }
  }
}

function toCompose(
  { per_sheet: perSheet = 2, booklet: isBooklet = false }: NonNullable<GivenStep['compose']>,
  at: string,
  errors: ValidationErrors,
): StepPlan {
  if (isBooklet && perSheet !== 2) errors.add(`${at}.per_sheet`, 'must be 2 with booklet');
  return { compose: { perSheet, isBooklet } };
}

/** Parses an option of a print. Its errors name the step. */
function parseFinish(options: PdfOptions, at: string, errors: ValidationErrors): FinishPlan {
  const own = new ValidationErrors();
  const parsed = parseFinishing(options, own);
  errors.addAll(own.found.map(({ path, message }) => ({ path: path.replace(/^options\.\w+/, at), message })));
  return parsed;
}

function toDraw(given: GivenDraw, layer: DrawStep['layer'], at: string, place: Place): { draw: DrawPlan } | undefined {
  const { errors } = place;
  const [first, ...more] = DRAWN.filter((name) => given[name] !== undefined);
  for (const name of more) errors.add(`${at}.${name}`, `cannot be combined with ${first}`);
  if (!first) errors.add(at, `must have one of ${DRAWN.join(', ')}`);
  checkPages(`${at}.pages`, given.pages, errors);
  if (given.scale !== undefined && given.fit !== undefined) errors.add(`${at}.fit`, 'cannot be combined with scale');
  const isFile = first === 'file' || first === 'document_id';
  const from = isFile ? parseFile(given, at, place.files, errors) : toMark(given, at, place);
  const isNatural = isFile || first === 'html' || given.font_size !== undefined;
  return from && { draw: { from, pages: given.pages, layer, ...toPlacement(given, at, isNatural, errors) } };
}

function toMark(given: GivenDraw, at: string, { files, errors, marks }: Place): { mark: Mark } | undefined {
  marks.length += markLength(given, files);
  if (marks.length > MAX_MARKS_LENGTH) {
    errors.add(at, `brings all marks to more than ${MAX_MARKS_LENGTH} characters of markup and images in base64`);
    return undefined;
  }
  const mark = parseMark(given, at, files, errors);
  return mark && { mark };
}

function toPlacement(given: GivenDraw, at: string, isNatural: boolean, errors: ValidationErrors) {
  const { position = 'center', rotate = 0, opacity = 1, fit, offset } = given;
  const scale = given.scale ?? (isNatural && fit === undefined ? 1 : undefined);
  const [x, y] = [toPoints(offset?.x, `${at}.offset.x`, errors), toPoints(offset?.y, `${at}.offset.y`, errors)];
  return { opacity, rotate, position, offset: { x, y }, scale, fit: fit ?? 1 };
}

/** Lengths of offsets may be negative. */
function toPoints(length: number | string | undefined, path: string, errors: ValidationErrors): number {
  if (length === undefined) return 0;
  const isNegative = typeof length === 'number' ? length < 0 : length.trim().startsWith('-');
  const inches = toInches(typeof length === 'number' ? Math.abs(length) : length.trim().replace(/^[-+]/, ''));
  if (inches === undefined) errors.add(path, 'must be a length such as 10mm or -1cm');
  return (isNegative ? -1 : 1) * (inches ?? 0) * POINTS_PER_INCH;
}
