/** Sample data for each template, kept in this tab. */
import type { TemplateRecord } from './records.ts';
import { sampleOf } from './sample-of-template.ts';
import { readItem, removeItem, storeItem } from './session.ts';

export function sampleFor(template: TemplateRecord | null): string {
  return readItem(nameFor(template?.template_id ?? null)) ?? (template ? sampleOf(template) : '{}');
}

export function storeSample(templateId: string | null, text: string): void {
  storeItem(nameFor(templateId), text);
}

/** Moves the sample data of the new template to the id under which it was saved. */
export function moveSampleToTemplate(templateId: string): void {
  const text = readItem(nameFor(null));
  if (text === null) return;
  storeSample(templateId, text);
  removeItem(nameFor(null));
}

function nameFor(templateId: string | null): string {
  return `sample.${templateId ?? 'new'}`;
}
