/** The draft: the document and its options. It is a single value, kept for this tab. */
import { NAMES } from 'virtual:option-names';
import { batch, computed, signal } from '@preact/signals';
import type { Draft, DraftFile, Mode } from '../shared/kept-drafts.ts';

export type { Draft, DraftFile, Engine, Mode, Options } from '../shared/kept-drafts.ts';

export const BLANK: Draft = {
  mode: 'html',
  html: '',
  markdown: '',
  url: '',
  template: '',
  engine: 'liquid',
  data: '{}',
  style: '',
  files: {},
  options: {},
};

/** The kinds of documents, as people read them. */
export const MODES: Record<Mode, string> = { html: 'HTML', markdown: 'Markdown', url: 'URL', template: 'Template' };

/** The members that each kind of document has beside its options. */
const PARTS = {
  html: ['html'],
  markdown: ['markdown'],
  url: ['url'],
  template: ['template', 'engine', 'data'],
} as const satisfies Record<Mode, ReadonlyArray<keyof Draft>>;

export const TEXTS = ['html', 'markdown', 'url', 'template', 'data', 'style'] as const;

export const OPTION_NAMES: ReadonlySet<string> = new Set(NAMES);

export const draft = signal<Draft>(BLANK);

/** Whether the text can be stored as a template, which is HTML. */
export const canBeTemplate = computed(() => draft.value.mode === 'html' || draft.value.mode === 'template');

/** Increases when the whole draft is replaced, for example by an example or a link. */
export const generation = signal(0);

export function replaceDraft(other: Draft): void {
  batch(() => {
    draft.value = other;
    generation.value += 1;
  });
}

export function change(part: Partial<Draft>): void {
  draft.value = { ...draft.value, ...part };
}

export function isBlank(other: Draft): boolean {
  return isSameDraft({ ...other, mode: BLANK.mode }, BLANK);
}

/** Whether two drafts have the same text, files and options, in all modes. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  const textOf = ({ mode, engine, files, options, ...draft }: Draft) =>
    JSON.stringify([mode, engine, files, options, ...TEXTS.map((name) => draft[name])]);
  return textOf(one) === textOf(other);
}

/** Whether files can be beside the document. One that is loaded from a URL has those beside it there. */
export function hasFiles({ mode }: Draft): boolean {
  return mode !== 'url';
}

/** The text of the document. */
export function sourceOf({ mode, ...texts }: Draft): string {
  return texts[mode];
}

/** Returns the draft without the text of other modes, which nobody would expect in a shared draft, and without files. */
export function partOnScreen(draft: Draft): Partial<Draft> {
  const { mode, options } = draft;
  const style = hasFiles(draft) && draft.style ? { style: draft.style } : {};
  return { mode, ...Object.fromEntries(PARTS[mode].map((name) => [name, draft[name]])), ...style, options };
}

/**
 * Reads a draft that somebody sent or stored, which may contain only the visible part. Returns undefined if it is not valid.
 * Names that the form does not know are ignored.
 */
export function toDraft(value: unknown): Draft | undefined {
  if (!isObject(value) || !isMode(value.mode)) return undefined;
  const { mode } = value;
  if (PARTS[mode].some((name) => value[name] === undefined)) return undefined;
  const { engine, files, options, ...texts }: Record<string, unknown> = { ...BLANK, options: undefined, ...value };
  if (engine !== 'placeholders' && engine !== 'liquid') return undefined;
  const read = TEXTS.map((name) => toText(texts[name]));
  if (read.includes(undefined) || !isObject(options) || !isFiles(files)) return undefined;
  const [html = '', markdown = '', url = '', template = '', data = '', style = ''] = read;
  const known = Object.fromEntries(Object.entries(options).filter(([name]) => OPTION_NAMES.has(name)));
  return { mode, html, markdown, url, template, engine, data, style, files, options: known };
}

function isFiles(value: unknown): value is Draft['files'] {
  return isObject(value) && Object.values(value).every((file) => file === null || isFile(file));
}

function isFile(value: unknown): value is DraftFile {
  return isObject(value) && typeof value.id === 'string' && typeof value.type === 'string' && typeof value.bytes === 'number';
}

function isMode(value: unknown): value is Mode {
  return typeof value === 'string' && Object.hasOwn(PARTS, value);
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? lines(value) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Normalizes line breaks, because the editors know only one kind. */
export function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
