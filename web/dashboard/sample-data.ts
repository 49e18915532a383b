/** Sample data for each template, kept in this tab. */
import type { TemplateRecord } from './records.ts';
import { sampleOf } from './sample-of-template.ts';
import { forget, keep, kept } from './session.ts';

export function sampleFor(template: TemplateRecord | null): string {
  return kept(nameFor(template?.template_id ?? null)) ?? (template ? sampleOf(template) : '{}');
}

export function keepSample(templateId: string | null, text: string): void {
  keep(nameFor(templateId), text);
}

/** Moves the sample data of the new template to the id under which it was saved. */
export function adoptSample(templateId: string): void {
  const text = kept(nameFor(null));
  if (text === null) return;
  keepSample(templateId, text);
  forget(nameFor(null));
}

function nameFor(templateId: string | null): string {
  return `sample.${templateId ?? 'new'}`;
}
