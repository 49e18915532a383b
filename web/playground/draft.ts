/** The draft: the document and its options. It is a single value, kept for this tab. */
import { NAMES } from 'virtual:option-names';
import { batch, signal } from '@preact/signals';
import type { Draft } from '../shared/kept-drafts.ts';

export type { Draft, Engine, Mode, Options } from '../shared/kept-drafts.ts';

export const BLANK: Draft = { mode: 'html', html: '', template: '', engine: 'liquid', data: '{}', options: {} };

export const OPTION_NAMES: ReadonlySet<string> = new Set(NAMES);

export const draft = signal<Draft>(BLANK);

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
  return isSameDraft(other, BLANK) || isSameDraft(other, { ...BLANK, mode: 'template' });
}

/** Whether two drafts have the same text and options, in both modes. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  const textOf = ({ mode, html, template, engine, data, options }: Draft) =>
    JSON.stringify([mode, html, template, engine, data, options]);
  return textOf(one) === textOf(other);
}

/** Sets an option. `undefined` removes it. */
export function changeOption(name: string, value: unknown): void {
  const { [name]: _, ...others } = draft.value.options;
  change({ options: value === undefined ? others : { ...others, [name]: value } });
}

/** Returns the draft without the text of the other mode, which nobody would expect in a shared draft. */
export function partOnScreen({ mode, html, template, engine, data, options }: Draft): Partial<Draft> {
  return mode === 'html' ? { mode, html, options } : { mode, template, engine, data, options };
}

/**
 * Reads a draft that somebody sent or stored, which may contain only the visible part. Returns undefined if it is not valid.
 * Names that the form does not know are ignored.
 */
export function toDraft(value: unknown): Draft | undefined {
  if (!isObject(value)) return undefined;
  const { mode, html, template, engine, data, options } = { ...blankOther(value.mode), ...value };
  if (mode !== 'html' && mode !== 'template') return undefined;
  if (engine !== 'placeholders' && engine !== 'liquid') return undefined;
  if (typeof html !== 'string' || typeof template !== 'string' || typeof data !== 'string') return undefined;
  if (!isObject(options)) return undefined;
  const known = Object.fromEntries(Object.entries(options).filter(([name]) => OPTION_NAMES.has(name)));
  return { mode, html: lines(html), template: lines(template), engine, data: lines(data), options: known };
}

function blankOther(mode: unknown): Partial<Draft> {
  const { html, template, engine, data } = BLANK;
  return mode === 'html' ? { template, engine, data } : { html };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Normalizes line breaks, because the editors know only one kind. */
export function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
