/** Sample data of templates: what is stored with a template, and what is being written, which this tab keeps. */
import type { TemplateRecord } from './records.ts';
import { createSample } from './sample-of-template.ts';
import { readItem, removeItem, storeItem } from './session.ts';
import { readData } from './template-preview.ts';

export interface Sample {
  /** The name of the stored sample that the text belongs to; null if it is not stored yet. */
  name: string | null;
  text: string;
}

type WithSamples = Pick<TemplateRecord, 'samples'>;

/** What was being written, the first stored sample, or a new one. */
export function readSample(template: TemplateRecord | null): Sample {
  const text = readItem(textKey(template?.template_id ?? null));
  if (text !== null) return { name: template && readItem(nameKey(template.template_id)), text };
  const [name] = Object.keys(template?.samples ?? {});
  if (name !== undefined) return { name, text: sampleText(template ?? {}, name) };
  return { name: null, text: template ? createSample(template) : '{}' };
}

/** The name under which the first data of a new template is stored. */
const FIRST_NAME = 'Sample';
/** Longer data is not stored with a new template, so that the template itself is stored in any case. */
const MAX_FIRST_CHARACTERS = 300_000;

/** What was written for a new template, to be stored with it. Empty if it is not valid, or nothing. */
export function firstSamples(): NonNullable<TemplateRecord['samples']> {
  const text = readItem(textKey(null)) ?? '{}';
  const data = text.length > MAX_FIRST_CHARACTERS ? {} : (tryRead(text) ?? {});
  return Object.keys(data).length ? { [FIRST_NAME]: data } : {};
}

/** Moves what was not stored with the new template to the id under which that was saved. */
export function moveSampleToTemplate({ template_id: id, samples }: TemplateRecord): void {
  const text = readItem(textKey(null));
  if (text !== null && !samples?.[FIRST_NAME]) keepSample(id, { name: null, text });
  forgetSample(null);
}

/** The name of the stored sample that a text belongs to, or is equal to. */
export function findName({ name, text }: Sample, { samples = {} }: WithSamples): string | null {
  if (name !== null) return name;
  return Object.keys(samples).find((each) => isSameData(text, samples[each])) ?? null;
}

export function isSameData(text: string, data: unknown): boolean {
  return JSON.stringify(tryRead(text)) === JSON.stringify(data);
}

function tryRead(text: string): Record<string, unknown> | undefined {
  try {
    return readData(text);
  } catch {
    return undefined;
  }
}

/** The stored data as the editor shows it. */
export function sampleText({ samples = {} }: WithSamples, name: string): string {
  return Object.hasOwn(samples, name) ? JSON.stringify(samples[name], null, 2) : '{}';
}

export function keepSample(templateId: string | null, { name, text }: Sample): void {
  storeItem(textKey(templateId), text);
  if (name !== null && templateId !== null) storeItem(nameKey(templateId), name);
  else removeItem(nameKey(templateId));
}

export function forgetSample(templateId: string | null): void {
  removeItem(textKey(templateId));
  removeItem(nameKey(templateId));
}

function textKey(templateId: string | null): string {
  return `sample.${templateId ?? 'new'}`;
}

function nameKey(templateId: string | null): string {
  return `sample-name.${templateId ?? 'new'}`;
}
