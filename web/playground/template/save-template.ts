/** Saves the template in the editor: its text and files together, as one version. */
import { batch, signal } from '@preact/signals';
import { isAbort } from '../../dashboard/loaded.ts';
import type { TemplateRecord } from '../../dashboard/records.ts';
import { ifVersion, read, send } from '../../dashboard/session.ts';
import { ProblemError } from '../../shared/api.ts';
import { clearToasts, showToast } from '../../shared/toast.tsx';
import { replaceAddress } from '../../shell/route.ts';
import { change, type Draft, draft, lines } from '../draft.ts';
import { listFiles, toAssetChanges, toAssets } from '../files/assets.ts';
import { isSaving, isUnsaved, type OpenedTemplate, opened } from '../opened.ts';
import { hasChanges, readFiles, toDraftFiles } from './template-files.ts';

const PATH = '/v1/templates';

export const saveError = signal<unknown>(undefined);

/** Does nothing if there is nothing to save. Shows errors. `over` is the version that the visitor means to replace. */
export async function saveTemplate(over?: number): Promise<void> {
  if (isSaving.peek() || !(isUnsaved.peek() || opened.peek()?.record.owned === false)) return;
  const before = opened.peek();
  await storeTemplate(over).catch((error: unknown) => {
    if (!isAbort(error) && isOpen(before)) saveError.value = error;
  });
}

/** Throws what the service answers, with status 412 if there is a newer version. */
export async function storeTemplate(over?: number): Promise<void> {
  const now = opened.peek();
  if (!now) return;
  const { record } = now;
  const written = draft.peek();
  isSaving.value = true;
  saveError.value = undefined;
  clearToasts(); // a removal that is saved cannot be undone
  try {
    const saved = record.owned ? await saveChanges(now, written, over) : await storeCopy(record, written);
    const text = { html: written.template, engine: written.engine };
    if (isOpen(now)) take(opened.peek() ?? now, { ...record, ...saved, ...text, samples: record.samples ?? {} }, written);
  } finally {
    isSaving.value = false;
  }
}

/** A newer version with the same text and files is probably that of an earlier try, whose answer was lost. */
async function saveChanges({ record, version, style }: OpenedTemplate, written: Draft, over = version): Promise<TemplateRecord> {
  const { template: html, engine } = written;
  const path = `${PATH}/${record.template_id}`;
  const isTextSame = html === record.html && engine === record.engine;
  const assets = await toAssetChanges(written, style);
  const changes = { ...(!isTextSame && { html, engine }), ...(Object.keys(assets).length && { assets }) };
  try {
    return await send('PATCH', path, changes, { headers: ifVersion(over) }).then(toRecord);
  } catch (error) {
    if (conflictOf(error) === undefined) throw error;
    const theirs = await read<TemplateRecord>(path);
    const isSame = lines(theirs.html ?? '') === html && theirs.engine === engine;
    if (isSame && (await hasChanges(record.template_id, assets))) return theirs;
    throw error;
  }
}

async function storeCopy({ template_id: id, name, samples = {} }: TemplateRecord, written: Draft): Promise<TemplateRecord> {
  const { template: html, engine } = written;
  const assets = await toAssets({ ...written, files: await toDraftFiles(id, written) });
  return send('POST', PATH, { name, html, engine, samples, assets }).then(toRecord);
}

async function toRecord(response: Response): Promise<TemplateRecord> {
  return (await response.json()) as TemplateRecord;
}

function take(now: OpenedTemplate, record: TemplateRecord, written: Draft): void {
  batch(() => {
    const files = listFiles(now.files, written.files);
    opened.value = { ...now, record, version: record.version, style: written.style, files };
    change({ files: {} });
  });
  replaceAddress(`/edit?template=${encodeURIComponent(record.template_id)}`); // a copy has an id of its own
  showToast(`Saved as version ${record.version}.`);
}

/** Whether the visitor has not left the template since. */
function isOpen(before: OpenedTemplate | undefined): boolean {
  return opened.peek()?.record.template_id === before?.record.template_id;
}

/** Replaces the text with that of the newest version. The data stays. */
export async function loadTheirs(): Promise<void> {
  const now = opened.peek();
  if (!now) return;
  const record = await read<TemplateRecord>(`${PATH}/${now.record.template_id}`);
  const stored = await readFiles(record.template_id);
  opened.value = { ...now, record: { ...record, html: lines(record.html ?? '') }, ...stored };
  saveError.value = undefined;
  discardChanges();
}

/** Puts the stored text and files into the editor. */
export function discardChanges(): void {
  const now = opened.peek();
  if (!now) return;
  const before = draft.peek();
  change({ template: now.record.html ?? '', engine: now.record.engine, style: now.style, files: {} });
  opened.value = { ...now, version: now.record.version };
  const undo = () => {
    change({ template: before.template, engine: before.engine, style: before.style, files: before.files });
    opened.value = { ...(opened.peek() ?? now), version: now.version };
  };
  showToast('Your changes were discarded.', { label: 'Undo', run: undo });
}

/** The version of somebody else, if that is why the text was not saved. */
export function conflictOf(error: unknown): number | undefined {
  return error instanceof ProblemError && error.body.status === 412 ? Number(error.body.version) : undefined;
}
