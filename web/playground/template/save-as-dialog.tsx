/** Stores the draft as a template. A guest signs in first, and the draft stays where it is. */
import { Loading } from '../../dashboard/components.tsx';
import { useLoaded } from '../../dashboard/loaded.ts';
import type { TemplateRecord } from '../../dashboard/records.ts';
import { mayResume, resume, send, session } from '../../dashboard/session.ts';
import { SignInForm } from '../../dashboard/sign-in.tsx';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { readData } from '../../shared/read-data.ts';
import '../../shared/forms.css';
import './template.css';
import { draft } from '../draft.ts';
import { titleOf } from '../draft-history.ts';
import { toAssets } from '../files/assets.ts';
import { becomeTemplate } from '../stored-draft.ts';
import { NameForm } from './name-form.tsx';

const MAX_NAME = 200;
/** The name under which the data is stored with the template. */
const SAMPLE = 'Sample';
/** Longer data is not stored as a sample, so that the template itself is stored in any case. It stays in the editor. */
const MAX_SAMPLE_CHARACTERS = 300_000;

export function SaveAsDialog({ onClose }: { onClose(): void }) {
  const resuming = useLoaded(async () => {
    if (mayResume() && !session.peek()) await resume().catch(() => {}); // the form asks for the key then
    return true;
  }, []);
  return (
    <Dialog title="Save as template" onClose={onClose}>
      {session.value ? (
        <NameForm
          initial={titleOf(draft.peek())}
          maxLength={MAX_NAME}
          verb="Save"
          running="Saving…"
          onName={storeDraft}
          onClose={onClose}
        >
          <p class="hint">
            A template is rendered by its id with different data. Its text and files are stored in your account{' '}
            <bdi>{session.value.account.name}</bdi>.
          </p>
        </NameForm>
      ) : resuming.value ? (
        <>
          <SignInForm hint="A template belongs to an account. Your draft stays in the editor while you sign in." />
          <div class="actions end">
            <Button label="Cancel" onClick={onClose} />
          </div>
        </>
      ) : (
        <Loading what="your account" />
      )}
    </Dialog>
  );
}

/** Stores the draft, and goes on with it as the template. */
async function storeDraft(name: string): Promise<void> {
  const { mode, html, template, engine, data } = draft.peek();
  const text = mode === 'html' ? { html, engine: 'placeholders' } : { html: template, engine };
  const samples = mode === 'html' ? {} : readSamples(data);
  const assets = await toAssets(draft.peek());
  const reply = await send('POST', '/v1/templates', { name, ...text, samples, assets });
  const { template_id: templateId, version } = (await reply.json()) as TemplateRecord;
  const sample = Object.keys(samples)[0] ?? null;
  await becomeTemplate({ accountId: session.peek()?.account.account_id ?? '', templateId, name, version, sample });
}

/** Throws if the data is not a JSON object. */
function readSamples(text: string): Record<string, unknown> {
  const data = readData(text);
  return Object.keys(data).length && text.length <= MAX_SAMPLE_CHARACTERS ? { [SAMPLE]: data } : {};
}
