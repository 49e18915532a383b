/** What is on screen: the document, and how it is to be printed. One value, kept for the time of the tab. */
import { signal } from '@preact/signals';
import { OPTION_NAMES } from './options/groups.ts';

export type Mode = 'html' | 'template';
export type Engine = 'placeholders' | 'liquid';
export type Options = Record<string, unknown>;

export interface Draft {
  mode: Mode;
  html: string;
  template: string;
  engine: Engine;
  /** JSON, as it is written: also while it is not valid. */
  data: string;
  /** Those that are to be sent. */
  options: Options;
}

const BLANK: Draft = { mode: 'html', html: '', template: '', engine: 'liquid', data: '{}', options: {} };

export const draft = signal<Draft>(BLANK);

/** Rises when another draft takes the place of the one on screen, as an example or a link does. */
export const generation = signal(0);

export function replaceDraft(other: Draft): void {
  draft.value = other;
  generation.value += 1;
}

export function change(part: Partial<Draft>): void {
  draft.value = { ...draft.value, ...part };
}

/** `undefined` takes an option back. */
export function changeOption(name: string, value: unknown): void {
  const { [name]: _, ...others } = draft.value.options;
  change({ options: value === undefined ? others : { ...others, [name]: value } });
}

/** Without what was written in the other mode, which whoever gets the draft would not expect to be in it. */
export function partOnScreen({ mode, html, template, engine, data, options }: Draft): Partial<Draft> {
  return mode === 'html' ? { mode, html, options } : { mode, template, engine, data, options };
}

/**
 * A draft out of what somebody sent or stored, which may be the part on screen alone; undefined where it is none. Names the form
 * does not know are left out.
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

/** The editors know one kind of line break. */
function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
