/** Opens a stored template in the editor, for a visitor who is signed in. */
import { render } from 'preact';
import { ErrorMessage } from '../../dashboard/components.tsx';
import { hasStatus } from '../../dashboard/format.ts';
import type { TemplateRecord } from '../../dashboard/records.ts';
import { firstSample, sampleText } from '../../dashboard/sample-data.ts';
import { mayResume, onSignOut, read, resume, session, watchOtherTabs } from '../../dashboard/session.ts';
import { SignIn } from '../../dashboard/sign-in.tsx';
import { readPlayground } from '../../dashboard/template-preview.ts';
import { Button } from '../../shared/button.tsx';
import { type Draft, type KeptDraft, readChanges, readDraft } from '../../shared/kept-drafts.ts';
import { showToast } from '../../shared/toast.tsx';
import '../../shared/forms.css';
import './template.css';
import { lines, replaceDraft, toDraft } from '../draft.ts';
import { isElsewhere, openHistory, takeLatest } from '../draft-history.ts';
import { isUnsaved, type OpenedTemplate, opened, storedDraft, templateParts } from '../opened.ts';
import { loop } from '../render-loop.ts';
import { keepNow, openElsewhere, stopKeeping } from '../stored-draft.ts';
import { atEnd, isOver } from '../visit.ts';
import { showAsRequested } from './as-requested.ts';
import { saveError } from './save-template.ts';
import { readFiles } from './template-files.ts';
import { PARTS, playground } from './template-parts.tsx';

const IS_STORED = 'Another tab has unsaved changes of this template. Here it is as it is stored.';
const IS_COPY = 'Another tab is changing this draft. Here is a copy of it.';

/**
 * Asks for a key where there is no session, until the visitor leaves the editor. Resolves to false if the template cannot be opened, which
 * `root` then says. With the id of a request, the editor has what that has rendered.
 */
export async function openTemplate(id: string, root: HTMLElement, requestId?: string | null): Promise<boolean> {
  await requireSession(root);
  if (isOver()) return false;
  const accountId = session.peek()?.account.account_id ?? '';
  try {
    const [record, limits] = await Promise.all([
      read<TemplateRecord>(`/v1/templates/${encodeURIComponent(id)}`),
      readPlayground().catch(() => undefined), // as if it was off
    ]);
    playground.value = limits;
    await show({ ...record, html: lines(record.html ?? '') }, accountId, await readFiles(record.template_id));
    if (requestId) await showAsRequested(requestId);
  } catch (error) {
    const changes = hasStatus(error, 404) ? await readChanges(accountId, id) : [];
    render(<NotOpened error={error} changes={changes} />, root);
    return false;
  }
  watchOtherTabs();
  onSignOut(stopKeeping);
  atEnd(
    session.subscribe((current) => {
      if (!current) void askForKey(root);
    }),
  );
  return true;
}

type StoredFiles = Pick<OpenedTemplate, 'style' | 'files'>;

async function show(record: TemplateRecord, accountId: string, stored: StoredFiles): Promise<void> {
  const of = { accountId, templateId: record.template_id };
  await openHistory(of);
  const kept = await takeLatest(of);
  const now = { ...continueFrom(record, accountId, kept?.of), ...stored };
  if (isElsewhere(of)) showToast(kept ? IS_COPY : IS_STORED);
  saveError.value = undefined;
  opened.value = now;
  templateParts.value = PARTS;
  replaceDraft(kept ? await withStyle(kept, stored.style) : storedDraft(now));
  if (!isUnsaved.peek()) opened.value = { ...now, version: record.version }; // it was saved just before the page was left
}

/** What was kept before drafts had a style sheet goes on with that of the template. */
async function withStyle({ id, draft }: KeptDraft, style: string): Promise<Draft> {
  const kept: { draft: Partial<Draft> } | undefined = await readDraft(id);
  return kept && kept.draft.style === undefined ? { ...draft, style } : draft;
}

/** What is in the editor: the template, and where the visitor began to change it. */
function continueFrom(record: TemplateRecord, accountId: string, of: KeptDraft['of']): Omit<OpenedTemplate, keyof StoredFiles> {
  const first = firstSample(record);
  const sample = of ? of.sample : first.name;
  const isStored = sample !== null && Object.hasOwn(record.samples ?? {}, sample);
  const data = isStored ? sampleText(record, sample) : first.text;
  return { record, accountId, version: of?.version ?? record.version, sample: isStored ? sample : null, data };
}

async function requireSession(root: HTMLElement): Promise<void> {
  if (!session.peek() && mayResume()) await resume().catch(() => {}); // the reason is seen when the visitor signs in
  if (!session.peek() && !isOver()) await signedIn(root);
}

function signedIn(root: HTMLElement): Promise<void> {
  render(<SignIn page="Editor" hint="A template belongs to an account. Sign in with a key to edit it." />, root);
  return new Promise((resolve) => {
    const stop = session.subscribe((current) => {
      if (!current) return;
      stop();
      resolve();
    });
    atEnd(() => {
      stop();
      resolve();
    });
  });
}

/** The session has ended: what is in the editor is kept, and comes back for who signs in to the account again. */
async function askForKey(root: HTMLElement): Promise<void> {
  loop.stop();
  await Promise.resolve(); // a sign-out stops the keeping first
  await keepNow();
  await signedIn(root);
  if (!isOver()) location.reload();
}

/** `changes` are what this browser has of a template that is gone. */
function NotOpened({ error, changes }: { error: unknown; changes: KeptDraft[] }) {
  return (
    <main class="no-editor">
      <h1>The template cannot be opened</h1>
      <ErrorMessage error={error} onRetry={() => location.reload()} />
      {changes.map((kept) => (
        <p key={kept.id}>
          <Button label={`Open my unsaved changes of “${kept.title}” as a draft`} onClick={() => void openAsDraft(kept)} />
        </p>
      ))}
      <p>
        <a href="/dashboard/templates">All templates</a>
      </p>
    </main>
  );
}

async function openAsDraft({ id, draft }: KeptDraft): Promise<void> {
  const known = toDraft(draft);
  if (known) await openElsewhere({ draft: known, of: undefined }, id);
}
