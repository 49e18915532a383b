/** Saves the text of the template in the editor. */
import { signal } from '@preact/signals';
import { isAbort } from '../../dashboard/loaded.ts';
import type { TemplateRecord } from '../../dashboard/records.ts';
import { ifVersion, read, send } from '../../dashboard/session.ts';
import { changeAsset, putAsset } from '../../dashboard/template-assets.ts';
import { ProblemError } from '../../shared/api.ts';
import { STYLE } from '../../shared/kept-drafts.ts';
import { showToast } from '../../shared/toast.tsx';
import { change, draft, lines } from '../draft.ts';
import { toAssets } from '../files/assets.ts';
import { isTextChanged, type OpenedTemplate, opened } from '../opened.ts';
import { readStyle, toDraftFiles } from './template-files.tsx';

const PATH = '/v1/templates';

export const isSaving = signal(false);
export const saveError = signal<unknown>(undefined);

/** Does nothing if there is nothing to save. Shows errors. `over` is the version that the visitor means to replace. */
export async function saveTemplate(over?: number): Promise<void> {
  if (isSaving.peek() || !(isTextChanged.peek() || opened.peek()?.record.owned === false)) return;
  await storeTemplate(over).catch((error: unknown) => {
    if (!isAbort(error)) saveError.value = error;
  });
}

/** Throws what the service answers, with status 412 if there is a newer version. */
export async function storeTemplate(over?: number): Promise<void> {
  const now = opened.peek();
  if (!now) return;
  const { record } = now;
  const { template: html, engine, style } = draft.peek();
  isSaving.value = true;
  saveError.value = undefined;
  try {
    const saved = record.owned ? await replaceOwn(now, over) : await storeCopy(record);
    take({ ...record, ...saved, html, engine, samples: record.samples ?? {} }, style);
  } finally {
    isSaving.value = false;
  }
}

/** The text and the style sheet are versions of their own, of which only those are made that have changes. */
async function replaceOwn({ record, version, style: before }: OpenedTemplate, over: number | undefined): Promise<TemplateRecord> {
  const { template: html, engine, style } = draft.peek();
  const isTextSame = html === record.html && engine === record.engine;
  const saved = isTextSame
    ? { ...record, version: over ?? version }
    : await replaceText(record, { html, engine }, over ?? version);
  if (style === before) return saved;
  return style
    ? putAsset(saved, STYLE, new Blob([style], { type: 'text/css' }))
    : changeAsset(saved, STYLE, { method: 'DELETE' });
}

async function storeCopy({ template_id: id, name, samples = {} }: TemplateRecord): Promise<TemplateRecord> {
  const { template: html, engine } = draft.peek();
  const assets = await toAssets({ ...draft.peek(), files: await toDraftFiles(id) });
  return send('POST', PATH, { name, html, engine, samples, assets }).then(toRecord);
}

/** A newer version with the same text is probably that of an earlier try, whose answer was lost. */
async function replaceText(
  { template_id: id }: TemplateRecord,
  text: Pick<TemplateRecord, 'engine'> & { html: string },
  version: number,
): Promise<TemplateRecord> {
  try {
    return await send('PUT', `${PATH}/${id}`, text, { headers: ifVersion(version) }).then(toRecord);
  } catch (error) {
    if (conflictOf(error) === undefined) throw error;
    const theirs = await read<TemplateRecord>(`${PATH}/${id}`);
    if (lines(theirs.html ?? '') === text.html && theirs.engine === text.engine) return theirs;
    throw error;
  }
}

async function toRecord(response: Response): Promise<TemplateRecord> {
  return (await response.json()) as TemplateRecord;
}

function take(record: TemplateRecord, style: string): void {
  const now = opened.peek();
  if (now) opened.value = { ...now, record, version: record.version, style };
  history.replaceState(null, '', `/edit?template=${encodeURIComponent(record.template_id)}`); // a copy has an id of its own
  showToast(`Saved as version ${record.version}.`);
}

/** Replaces the text with that of the newest version. The data stays. */
export async function loadTheirs(): Promise<void> {
  const now = opened.peek();
  if (!now) return;
  const record = await read<TemplateRecord>(`${PATH}/${now.record.template_id}`);
  const style = await readStyle(record.template_id);
  opened.value = { ...now, record: { ...record, html: lines(record.html ?? '') }, style };
  saveError.value = undefined;
  discardText();
}

/** Puts the stored text into the editor. */
export function discardText(): void {
  const now = opened.peek();
  if (!now) return;
  const before = draft.peek();
  change({ template: now.record.html ?? '', engine: now.record.engine, style: now.style });
  opened.value = { ...now, version: now.record.version };
  const undo = () => {
    change({ template: before.template, engine: before.engine, style: before.style });
    opened.value = { ...(opened.peek() ?? now), version: now.version };
  };
  showToast('Your changes were discarded.', { label: 'Undo', run: undo });
}

/** The version of somebody else, if that is why the text was not saved. */
export function conflictOf(error: unknown): number | undefined {
  return error instanceof ProblemError && error.body.status === 412 ? Number(error.body.version) : undefined;
}
