/** Translates the fields of a form into steps of an assembly, and the errors of these steps back into fields. */
import { type FieldError, fieldErrors, hasCode, invalidField, invalidRequest, ServiceError } from '../../errors.ts';
import { type AssemblyRequest, parseAssemblyRequest } from '../../render/assembly/assembly-request.ts';
import type { RenderLimits } from '../../render/request/render-request.ts';
import { type GivenStep, MAX_STEPS } from '../../render/request/schemas/assembly-schema.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import { FILE, toFileName } from '../field-names.ts';
import { hasLaterMetadata, toAttachments, toConformance, toPassword } from '../form.ts';
import { type Group, PERMISSIONS } from '../pdf-fields.ts';
import { badSyntax, unparsable } from '../read-field.ts';
import type { GotenbergForm } from '../sent-form.ts';
import type { FormStep } from './form-step.ts';
import { toLaterMarks, toMarkSteps, toPageChoice } from './marks.ts';

type Values = GotenbergForm['values'];
type Translate = (form: GotenbergForm) => FormStep[];

/** The steps of each group of fields, for all files of the form. */
const STEPS: Readonly<Record<Group, Translate>> = {
  bookmarks: ({ values }) => toBookmarks(values),
  rotation: ({ values }) => toRotation(values),
  watermarks: (form) => toMarkSteps(form, 'watermark'),
  stamps: (form) => toMarkSteps(form, 'stamp'),
  flattening: ({ values }) => (values.get('flatten') ? [{ step: { flatten: {} }, nameField: () => 'flatten' }] : []),
  optimization: ({ values }) => toOptimization(values),
  metadata: ({ values }) => toMetadata(values),
  embeds: toEmbeds,
  encryption: ({ values }) => toEncryption(values),
  split: ({ values }) => toSplit(values),
  conformance: () => [],
};

export function toSteps(form: GotenbergForm, groups: readonly Group[]): FormStep[] {
  return protectLast(collect(groups.map((group) => () => STEPS[group](form))).flat());
}

/** A password is the last change of a PDF, and holds for all PDFs of a split. */
function protectLast(steps: readonly FormStep[]): FormStep[] {
  const rank = ({ step }: FormStep) => (step.split ? 2 : step.encrypt ? 1 : 0);
  return steps.toSorted((one, other) => rank(one) - rank(other));
}

/** What a conversion does after its print: what the options of a print cannot do. Then a password is a step, too, and the last one. */
export function toLaterSteps(form: GotenbergForm, stages: readonly FormStep[]): FormStep[] {
  const { values } = form;
  const work: Array<() => FormStep[]> = [
    () => toBookmarks(values),
    () => toRotation(values),
    () => toLaterMarks(form),
    () => toOptimization(values),
    () => (hasLaterMetadata(values) ? toMetadata(values) : []),
  ];
  const steps = [...collect(work).flat(), ...stages, ...toSplit(values)];
  const isWanted = steps.length > 0 || !canPrint(values);
  return isWanted ? withConformance(form, protectLast([...steps, ...toEncryption(values)])) : [];
}

/** Whether a print can conform to what the form asks for. */
function canPrint(values: Values): boolean {
  return toConformance(values).conformance?.includes('PDF/A-1b') !== true;
}

/** Makes the whole conform to what the form asks for, before it is signed or split. A protected PDF is only checked. */
export function withConformance(form: GotenbergForm, steps: readonly FormStep[]): FormStep[] {
  const { conformance } = toConformance(form.values);
  if (!conformance || steps.some(({ step }) => step.encrypt || step.extract)) return [...steps];
  const step = { conform: { profile: conformance } } as GivenStep;
  const at = steps.findIndex((each) => each.step.sign || each.step.split);
  return steps.toSpliced(at < 0 ? steps.length : at, 0, { step, nameField: () => 'pdfa' });
}

/** Runs all, and throws one `invalid_request` with the errors of all. */
export function collect<T>(works: ReadonlyArray<() => T>): T[] {
  const errors: FieldError[] = [];
  const results = works.flatMap((work) => {
    try {
      return [work()];
    } catch (error) {
      if (!hasCode(error, 'invalid_request')) throw error;
      errors.push(...fieldErrors(error));
      return [];
    }
  });
  if (errors.length) throw invalidRequest(errors);
  return results;
}

/** Those that hold for all files. */
function toBookmarks(values: Values): FormStep[] {
  const given = values.get('bookmarks') as unknown[] | Record<string, unknown[]> | undefined;
  if (!given) return toBookmarkMode(values);
  return Array.isArray(given) ? [bookmarkStep(given, (member) => `bookmarks${member}`)] : [];
}

/** Those that the form gives by the names of its files. */
export function toBookmarksOfFiles({ values }: GotenbergForm, files: readonly UploadedFile[]): FormStep[] {
  const given = values.get('bookmarks') as unknown[] | Record<string, unknown[]> | undefined;
  if (!given || Array.isArray(given)) return [];
  const items = files.flatMap(({ path }, part) => (Object.hasOwn(given, path) ? inPart(given[path] ?? [], part) : []));
  const others = values.get('autoIndexBookmarks') && items.length ? { mode: 'keep' } : {}; // of files that the object does not name
  return items.length || files.some(({ path }) => Object.hasOwn(given, path))
    ? [bookmarkStep(items, () => 'bookmarks', others)]
    : [];
}

function toBookmarkMode(values: Values): FormStep[] {
  const name = ['titleBookmarks', 'autoIndexBookmarks'].find((each) => values.get(each));
  if (!name) return [];
  return [{ step: { bookmarks: { mode: name === 'titleBookmarks' ? 'parts' : 'keep' } }, nameField: () => name }];
}

function inPart(bookmarks: readonly unknown[], part: number): object[] {
  return bookmarks.map((bookmark) => {
    const { children, ...own } = bookmark as { children?: unknown[] };
    return { ...own, part, ...(children && { children: inPart(children, part) }) };
  });
}

function bookmarkStep(items: readonly unknown[], nameField: FormStep['nameField'], others = {}): FormStep {
  const step = { bookmarks: { items, ...others } } as GivenStep; // the engine validates them
  return { step, nameField: (member) => nameField(member.replace(/^items/, '')) };
}

function toRotation(values: Values): FormStep[] {
  const [angle, pages] = [values.get('rotateAngle'), values.get('rotatePages') as string | undefined];
  if (angle === undefined) return [];
  const rotate = { angle: angle as never, ...(pages !== undefined && { pages: toPageChoice(pages) }) };
  return [{ step: { rotate }, nameField: (member) => (member === 'pages' ? 'rotatePages' : 'rotateAngle') }];
}

const DEFAULT_QUALITY = 75;

function toOptimization(values: Values): FormStep[] {
  const quality = values.get('imageQuality') as number | undefined;
  const isWanted = values.get('optimizeImages') ?? quality !== undefined;
  if (!isWanted) return [];
  return [{ step: { optimize: { quality: quality ?? DEFAULT_QUALITY } }, nameField: () => 'imageQuality' }];
}

function toMetadata(values: Values): FormStep[] {
  const metadata = (values.get('metadata') ?? {}) as NonNullable<GivenStep['metadata']>;
  if (!Object.keys(metadata).length) return [];
  const nameField = (member: string) => ['metadata', member.replace(/^custom\.?/, '')].filter(Boolean).join('.');
  return [{ step: { metadata }, nameField }];
}

function toEmbeds(form: GotenbergForm): FormStep[] {
  if (!form.embeds.length) return [];
  const step = { attach: { files: toAttachments(form) } } as GivenStep;
  return [{ step, nameField: (member) => member.replace(/^files/, 'embeds') }];
}

function toEncryption(values: Values): FormStep[] {
  const { password } = toPassword(values);
  if (!password) return [];
  const fields: Readonly<Record<string, string>> = { user: 'userPassword', owner: 'ownerPassword' };
  const nameField = (member: string) => fields[member] ?? (member ? toPermission(values) : 'userPassword');
  return [{ step: { encrypt: password } as GivenStep, nameField }];
}

function toPermission(values: Values): string {
  return Object.keys(PERMISSIONS).find((name) => values.get(name) === false) ?? 'allowPrinting';
}

function toSplit(values: Values): FormStep[] {
  const [mode, span] = [values.get('splitMode'), values.get('splitSpan') as string | undefined];
  if (mode === undefined) return [];
  if (span === undefined) throw invalidField('splitSpan', 'is required');
  const nameField = () => 'splitSpan';
  if (mode === 'pages') {
    const chosen = { step: { select: { pages: toPageChoice(span) } }, nameField };
    return values.get('splitUnify') ? [chosen] : [chosen, { step: { split: { every: 1 } }, nameField }];
  }
  if (!/^[-+]?\d+$/.test(span)) throw invalidField('splitSpan', unparsable(span, badSyntax('Atoi', span)).message);
  if (!/^[1-9]\d{0,6}$/.test(span)) throw invalidField('splitSpan', 'must be a whole number of pages');
  return [{ step: { split: { every: Number(span) } }, nameField }];
}

/** Parses steps as an assembly with other parts. Errors name fields. */
export function parseSteps(form: GotenbergForm, steps: readonly FormStep[], limits: RenderLimits): AssemblyRequest {
  const beyond = steps[MAX_STEPS];
  if (beyond) {
    const field = beyond.nameField('');
    const message = `makes ${steps.length} changes of a PDF; at most ${MAX_STEPS} are possible`;
    throw invalidField(form.aliases.get(field) ?? field, message);
  }
  const files = new Map(steps.flatMap(({ files: own = [] }) => own.map((file) => [file.path, file])));
  try {
    const body = { parts: [{ document_id: 'the caller replaces it' }], steps: steps.map(({ step }) => step), store: false };
    return parseAssemblyRequest(body, limits, [...files.values()]);
  } catch (error) {
    throw namingFields(form, steps, [], error);
  }
}

/** Names the fields and files of the form in an error about steps and parts. Without files, the only part is the print. */
export function namingFields(
  { aliases }: Pick<GotenbergForm, 'aliases'>,
  steps: readonly Pick<FormStep, 'nameField'>[],
  files: readonly UploadedFile[],
  error: unknown,
): unknown {
  if (!(error instanceof ServiceError)) return error;
  const nameOf = (path: string) => {
    const [, part, rest = ''] = /^parts\[(\d+)\](?:\.(.*))?$/s.exec(path) ?? [];
    if (part !== undefined) return files.length ? toFileName(files[Number(part)]?.path ?? '') : rest;
    const [, number, member = ''] = /^steps\[(\d+)\](?:\.(.*))?$/s.exec(path) ?? [];
    const step = steps[Number(number)];
    if (!step) return path;
    const field = step.nameField(member.replace(STEP_NAME, ''));
    return aliases.get(field) ?? field;
  };
  if (error.code !== 'invalid_request')
    return error.reword(error.message.replace(/^parts: /, '').replace(/^((?:parts|steps)\[\d+\][.\w[\]]*): /, nameInText));
  const inForm = (message: string) =>
    message.replace(ADVICE, '').replace(SUGGESTION, (_, path: string) => `did you mean ${nameOf(path)}?`);
  return invalidRequest(fieldErrors(error).map(({ path, message }) => ({ path: nameOf(path), message: inForm(message) })));

  function nameInText(_: string, path: string): string {
    const name = nameOf(path).replace(FILE, '');
    return name && `${name}: `;
  }
}

/** Errors name the step after its number. */
const STEP_NAME = /^\w+(?:\.|(?=\[)|$)/;
const SUGGESTION = /(?<=; )did you mean ((?:parts|steps)\[\d+\]\S*)\?/;
/** What no field of a form does. */
const ADVICE = /; with drop_signatures it is removed|: send it as password$/;
