/** Sample data for each template, kept in this tab. */
import type { TemplateRecord } from './records.ts';
import { createSample } from './sample-of-template.ts';
import { readItem, removeItem, storeItem } from './session.ts';

export function readSample(template: TemplateRecord | null): string {
  return readItem(sampleKey(template?.template_id ?? null)) ?? (template ? createSample(template) : '{}');
}

export function storeSample(templateId: string | null, text: string): void {
  storeItem(sampleKey(templateId), text);
}

/** Moves the sample data of the new template to the id under which it was saved. */
export function moveSampleToTemplate(templateId: string): void {
  const text = readItem(sampleKey(null));
  if (text === null) return;
  storeSample(templateId, text);
  removeItem(sampleKey(null));
}

function sampleKey(templateId: string | null): string {
  return `sample.${templateId ?? 'new'}`;
}
