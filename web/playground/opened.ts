/** The stored template that is in the editor. What handles templates and keys is loaded only with one. */
import type { Extension } from '@codemirror/state';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { TemplateRecord } from '../dashboard/records.ts';
import type { DraftOf } from '../shared/kept-drafts.ts';
import { SIGNED_IN } from '../shared/signed-in.ts';
import { readStored } from '../shared/storage.ts';
import { BLANK, type Draft, draft, isSameDraft } from './draft.ts';
import type { NamedFile } from './files/assets.ts';
import type { RenderBody } from './render-body.ts';

export interface OpenedTemplate {
  record: TemplateRecord;
  accountId: string;
  /** The version in which the visitor began to write. */
  version: number;
  /** The name of the stored sample that the data belongs to; null if it is not stored. */
  sample: string | null;
  /** The text that the data had before the visitor changed it. */
  data: string;
  /** Its file `style.css`; empty if it has none. */
  style: string;
  /** Its other files. */
  files: readonly NamedFile[];
}

/** What the editor shows and does in addition, with a template. */
export interface TemplateParts {
  Actions: ComponentType;
  /** Above the data. */
  Samples: ComponentType;
  dataLanguage: ReadonlySignal<Extension>;
  /** Whether a render saves the template first and counts as a document. */
  isCharged: ReadonlySignal<boolean>;
  save(): void;
  /** What is in the editor as a draft of its own, with the files of the template. */
  toDraft(): Promise<Draft>;
  /** Renders `body`, which was made of `draft`. */
  send(body: RenderBody, draft: Draft, signal: AbortSignal): Promise<Response>;
}

export const opened = signal<OpenedTemplate | undefined>(undefined);
export const templateParts = signal<TemplateParts | undefined>(undefined);
export const isSaving = signal(false);

/** Why drafts cannot be rendered here; empty if they can. */
export const refusal = signal('');

/** Why this draft cannot be rendered; empty if it can. */
export function whyNotRendered({ mode }: Draft): string {
  return mode === 'url' && !readStored('localStorage', SIGNED_IN) ? 'A URL is rendered for a key.' : refusal.value;
}

/** Whether a render counts as a document, so that it is only made on request. URLs are rendered with a key. */
export const isCharged = computed(() => draft.value.mode === 'url' || templateParts.value?.isCharged.value === true);

/** What a kept draft tells about its template. */
export const draftOf = computed<DraftOf | undefined>(() => {
  const { record, accountId, version, sample } = opened.value ?? {};
  if (!record || accountId === undefined || version === undefined) return undefined;
  return { accountId, templateId: record.template_id, name: record.name, version, sample: sample ?? null };
});

/** What the template is without changes. */
export function storedDraft({ record, data, style }: OpenedTemplate): Draft {
  return { ...BLANK, mode: 'template', template: record.html ?? '', engine: record.engine, data, style };
}

/** Whether its text or one of its files differs from what is stored. */
export const isUnsaved = computed(() => {
  if (!opened.value) return false;
  const { record, style } = opened.value;
  const { template, engine, style: written, files } = draft.value;
  return template !== (record.html ?? '') || engine !== record.engine || written !== style || Object.keys(files).length > 0;
});

/** Whether a draft of the template has anything that is not stored, so that it must be kept. */
export function isChanged(changed: Draft): boolean {
  const of = opened.peek();
  return of !== undefined && !isSameDraft(changed, storedDraft(of));
}
