/** Sample data of templates: what is stored with a template, and what is created if there is none. */
import { tryReadData } from '../shared/read-data.ts';
import type { TemplateRecord } from './records.ts';
import { createSample } from './sample-of-template.ts';

export interface Sample {
  /** The name of the stored sample that the text belongs to; null if it is not stored. */
  name: string | null;
  text: string;
}

type WithSamples = Pick<TemplateRecord, 'samples'>;

/** The first stored sample, or a new one. */
export function firstSample(template: TemplateRecord): Sample {
  const [name] = Object.keys(template.samples ?? {});
  return name === undefined ? { name: null, text: createSample(template) } : { name, text: sampleText(template, name) };
}

export function isSameData(text: string, data: unknown): boolean {
  return JSON.stringify(tryReadData(text)) === JSON.stringify(data);
}

/** The stored data as the editor shows it. */
export function sampleText({ samples = {} }: WithSamples, name: string): string {
  return Object.hasOwn(samples, name) ? JSON.stringify(samples[name], null, 2) : '{}';
}
