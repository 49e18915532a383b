/**
 * The stages of Gotenberg 9 (https://gotenberg.dev/docs/pdf/pipe): the field in, steps of an assembly out. `merge` comes before the
 * other stages and `split` after them.
 */
import { type FieldError, invalidField, invalidRequest } from '../../errors.ts';
import { type GivenDraw, type GivenStep, MAX_STEPS } from '../../render/request/schemas/assembly-schema.ts';
import { MAX_IMAGE } from '../../render/request/schemas/finish-schema.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import { type Fields, flag, json, readList, readObject, readText, text } from '../read-field.ts';
import type { GotenbergForm } from '../sent-form.ts';
import { type Extraction, isExtraction, textStep } from './extractions.ts';
import type { FormStep } from './form-step.ts';

type Members = Readonly<Record<string, unknown>>;

interface Stage {
  op: string;
  members: Members;
  /** Whether its members are fields of a route of its own. */
  isRoute?: true;
}

export const STAGE_FIELDS: Fields = { stages: json(readStages) };

interface StageStep {
  /** What is done first. */
  before?: GivenStep;
  step: GivenStep;
  file?: UploadedFile;
}

interface StageRule {
  members: readonly string[];
  /** The member without which it is nothing. What the engine requires besides, it names itself. */
  required?: string;
  /** Undefined for what is no step: `merge`, and `remediate`, which becomes a field. */
  toStep?: (members: Members, files: readonly UploadedFile[], path: string) => StageStep;
  /** Members of the step by another name than in the stage. */
  names?: Readonly<Record<string, string>>;
}

const PLACE = ['pages', 'x', 'y', 'opacity', 'rotation'] as const;
const PLACE_NAMES = { rotate: 'rotation', 'offset.x': 'x', 'offset.y': 'y' };
const IMAGE_SIZE = ['width', 'height'] as const;
const DEFAULT_POINTS = 12;
/** As base64, with markup around it, it must not be longer than the markup of a mark. */
const MAX_SIZED_IMAGE_BYTES = (MAX_IMAGE / 4) * 3 - 4_096;
/** A pixel of an image is a point, and of CSS three quarters of one. */
const POINTS = 4 / 3;

const plain = (name: keyof GivenStep, ...members: string[]): StageRule => ({
  members,
  toStep: (given) => ({ step: { [name]: given } as GivenStep }),
});

const FILL = plain('fill', 'fields');
const FLATTEN = plain('flatten');

const RULES: Readonly<Record<string, StageRule>> = {
  merge: { members: [] },
  select: plain('select', 'pages'),
  split: plain('split', 'every', 'ranges'),
  'stamp-text': {
    members: ['text', 'fontSize', 'font', 'color', 'position', ...PLACE],
    required: 'text',
    toStep: ({ text, fontSize = DEFAULT_POINTS, font, color, ...place }) => ({
      step: toStamp(
        { text, font_size: fontSize, ...(font !== undefined && { font }), ...(color !== undefined && { color }) },
        place,
      ),
    }),
    names: { ...PLACE_NAMES, font_size: 'fontSize' },
  },
  'stamp-image': { members: ['image', 'position', ...IMAGE_SIZE, ...PLACE], toStep: toImageStamp, names: PLACE_NAMES },
  'stamp-pdf': {
    members: ['source', 'scale', 'position', ...PLACE],
    toStep({ source, ...others }, files, path) {
      const file = findFile(source, files, `${path}.source`);
      return { step: toStamp({ file: file.path }, others), file };
    },
    names: { ...PLACE_NAMES, file: 'source' },
  },
  optimize: plain('optimize'),
  remediate: { members: ['profile'], required: 'profile' },
  // Gotenberg measures from the lower left corner and paints nothing (https://gotenberg.dev/docs/pdf/redact).
  redact: {
    members: ['regions'],
    required: 'regions',
    toStep: ({ regions }) => ({ step: { redact: { boxes: regions, origin: 'bottom-left', color: 'none' } } as GivenStep }),
    names: { boxes: 'regions' },
  },
  sign: {
    members: ['certificate', 'reason', 'location', 'contactInfo', 'pades'],
    toStep: ({ contactInfo, pades: _, ...others }) => ({
      step: { sign: { ...others, ...(contactInfo !== undefined && { contact: contactInfo }) } } as GivenStep,
    }),
    names: { contact: 'contactInfo' },
  },
  'extract-text': {
    members: ['pages', 'format', 'invisible', 'artifacts'],
    toStep: ({ format = 'text', pages }, _files, path) => ({
      ...(pages !== undefined && { before: { select: { pages } } as GivenStep }),
      step: textStep(format, within(path, 'format')),
    }),
  },
  'extract-attachments': { members: ['name'], toStep: () => ({ step: { extract: { what: ['attachments'] } } }) },
  'set-form': FILL,
  fill: FILL,
  'flatten-form': FLATTEN,
  flatten: FLATTEN,
};

/** The fields of the routes that are one stage. */
export const STAGE_ROUTE_FIELDS = {
  redact: { regions: json(readList) },
  sign: { certificate: text(), reason: text(), location: text(), contactInfo: text(), pades: flag() },
  remediate: { profile: text() },
  'extract-text': { pages: text(), format: text(), invisible: flag(), artifacts: flag() },
  'extract-attachments': { name: text() },
} as const satisfies Readonly<Record<string, Fields>>;

export type StageRoute = keyof typeof STAGE_ROUTE_FIELDS;

export function routeStage({ values }: GotenbergForm, op: StageRoute): Stage {
  const sent = Object.keys(STAGE_ROUTE_FIELDS[op]).filter((name) => values.has(name));
  return { op, members: Object.fromEntries(sent.map((name) => [name, values.get(name)])), isRoute: true };
}

export const STAGE_NAMES = Object.keys(RULES);

function readStages(value: unknown): Stage[] {
  const stages = readList(value);
  if (stages.length > MAX_STEPS) throw new Error(`must have at most ${MAX_STEPS} stages`);
  return stages.map((given) => {
    const { op, ...members } = readObject(given);
    return { op: readText(op ?? '', 'op'), members };
  });
}

export interface Stages {
  steps: FormStep[];
  /** Whether the PDFs become one before the steps. */
  merges: boolean;
  /** Names of files that stages use. */
  used: ReadonlySet<string>;
  /** The last stage, if it writes what the PDFs hold. */
  extraction: Extraction | undefined;
}

export const NO_STAGES: Stages = { steps: [], merges: false, used: new Set(), extraction: undefined };

const KEEP_BOOKMARKS: FormStep = { step: { bookmarks: { mode: 'keep' } }, nameField: () => 'stages[0]' };

/**
 * The stages of the form. What `remediate` asks for becomes the value of `pdfa` or `pdfua`. Throws `invalid_request`, which names each
 * stage that cannot be done.
 */
export function applyStages({ values, aliases, files }: GotenbergForm): Stages {
  const stages = (values.get('stages') ?? []) as Stage[];
  const errors = stages.flatMap((stage, index) => faultsOf(stage, index, stages));
  if (errors.length) throw invalidRequest(errors);
  const merges = stages[0]?.op === 'merge';
  const used = new Set<string>();
  const steps = stages.flatMap((stage, index): FormStep[] => {
    const { op, members } = stage;
    const { toStep, names = {} } = RULES[op] as StageRule;
    const path = pathOf(stage, index);
    if (op === 'remediate') requireProfile(String(members.profile), within(path, 'profile'), values, aliases);
    if (!toStep) return [];
    const { before, step, file } = toStep(members, files, path);
    if (file) used.add(file.path);
    const nameField = (member: string) => {
      const [head = ''] = /^\w*/.exec(member) ?? [];
      return within(path, names[member] ?? (names[head] ?? head) + member.slice(head.length));
    };
    return [...(before ? [{ step: before, nameField }] : []), { step, nameField, files: file ? [file] : [] }];
  });
  return { steps: merges ? [KEEP_BOOKMARKS, ...steps] : steps, merges, used, extraction: extractionOf(stages) };
}

function extractionOf(stages: readonly Stage[]): Extraction | undefined {
  const last = stages.at(-1);
  if (!last || !isExtraction(last.op)) return undefined;
  const path = pathOf(last, stages.length - 1);
  return { op: last.op, members: last.members, nameField: (member) => within(path, member) };
}

/** Members of a route that is one stage are fields of the form. */
function pathOf({ isRoute }: Stage, index: number): string {
  return isRoute ? '' : `stages[${index}]`;
}

function within(path: string, member: string): string {
  return [path, member].filter(Boolean).join('.');
}

function requireProfile(profile: string, path: string, values: GotenbergForm['values'], aliases: GotenbergForm['aliases']): void {
  const isAccessible = profile.startsWith('PDF/UA');
  const field = isAccessible ? 'pdfua' : 'pdfa';
  values.set(field, isAccessible || profile);
  aliases.set(field, path);
}

function faultsOf({ op, members, isRoute }: Stage, index: number, stages: readonly Stage[]): FieldError[] {
  if (isRoute) return []; // its fields are known
  const path = `stages[${index}]`;
  const rule = Object.hasOwn(RULES, op) ? RULES[op] : undefined;
  if (!rule) {
    return [
      { path: `${path}.op`, message: `names ${op.slice(0, 64) || 'no stage'}; this server supports ${STAGE_NAMES.join(', ')}` },
    ];
  }
  const unknown = Object.keys(members).filter((name) => !rule.members.includes(name));
  const faults: FieldError[] = unknown.map((name) => ({
    path: `${path}.${name.slice(0, 64)}`,
    message: `is not supported by ${op}`,
  }));
  if (op === 'merge' && index) faults.push({ path, message: 'must be the first stage: merge' });
  if (isLast(op) && index < stages.length - 1) faults.push({ path, message: `must be the last stage: ${op}` });
  const { required } = rule;
  if (required && members[required] === undefined) faults.push({ path: `${path}.${required}`, message: 'is required' });
  else if (op === 'remediate' && typeof members.profile !== 'string')
    faults.push({ path: `${path}.profile`, message: 'must be the name of a profile' });
  return faults;
}

function isLast(op: string): boolean {
  return op === 'split' || isExtraction(op);
}

/** `x` and `y` are in points from the lower left corner. An opacity of 0 is that of an opaque stamp. */
function toStamp(drawn: Members, { x = 0, y = 0, rotation, opacity, position = 'bottom-left', ...others }: Members): GivenStep {
  const stamp = {
    ...{ ...drawn, ...others, position },
    offset: { x: toPoints(x), y: toPoints(typeof y === 'number' ? -y : y) },
    ...(rotation !== undefined && { rotate: rotation }),
    ...(opacity && opacity !== 0 ? { opacity } : {}),
  };
  return { stamp: stamp as GivenDraw }; // the engine validates it
}

function toPoints(length: unknown): unknown {
  return typeof length === 'number' ? `${length}pt` : length;
}

function toImageStamp({ image, width, height, ...place }: Members, files: readonly UploadedFile[], path: string) {
  const file = findFile(image, files, `${path}.image`);
  if (width === undefined && height === undefined) return { step: toStamp({ image: file.path, scale: POINTS }, place), file };
  const style = Object.entries({ width, height }).flatMap(([name, length]) => {
    if (length === undefined) return [];
    if (typeof length === 'number' && length > 0) return [`${name}: ${length}pt`];
    throw invalidField(`${path}.${name}`, 'must be a number of points');
  });
  if (file.content.length > MAX_SIZED_IMAGE_BYTES)
    throw invalidField(`${path}.image`, `is too large for width and height: at most ${MAX_SIZED_IMAGE_BYTES} bytes are allowed`);
  const address = `data:image/png;base64,${file.content.toString('base64')}`; // Chromium reads the type from the content
  return { step: toStamp({ html: `<img alt="" style="display: block; ${style.join('; ')}" src="${address}">` }, place), file };
}

function findFile(name: unknown, files: readonly UploadedFile[], path: string): UploadedFile {
  if (name === undefined) throw invalidField(path, 'is required');
  const file = files.find((each) => each.path === name);
  if (!file) throw invalidField(path, "must be the name of a file in the field 'files'");
  return file;
}
