/** Puts into the editor what a request of the log has rendered: that version of the template, and the options that the log has. */
import type { LoggedRequest, TemplateRecord } from '../../dashboard/records.ts';
import { read } from '../../dashboard/session.ts';
import { showToast } from '../../shared/toast.tsx';
import { change, type Draft, draft, isSameDraft, lines } from '../draft.ts';
import { isChanged, type OpenedTemplate, opened } from '../opened.ts';
import { readEarlier } from './template-files.ts';

/** Unsaved changes of the visitor stay, and can be exchanged for it. */
export async function showAsRequested(requestId: string): Promise<void> {
  const now = opened.peek();
  if (!now) return;
  const written = draft.peek();
  const requested = await readRequested(requestId, now).catch(() => undefined);
  if (!requested) {
    showToast('What the request rendered is not there any more. Here is the current version.');
    return;
  }
  const { version, ...parts } = requested;
  if (isSameDraft({ ...written, ...parts }, written)) return;
  const take = () => {
    change(parts);
    const undo = () => change(written);
    showToast(`Version ${version} is in the editor, with its files and the options of the request.`, {
      label: 'Undo',
      run: undo,
    });
  };
  if (isChanged(written))
    showToast('Your unsaved changes are in the editor.', { label: `Open version ${version} instead`, run: take });
  else take();
}

type Requested = Pick<Draft, 'options'> & Partial<Pick<Draft, 'template' | 'engine' | 'style' | 'files'>> & { version: number };

async function readRequested(requestId: string, { record: template, style }: OpenedTemplate): Promise<Requested> {
  const { template_id: id } = template;
  const logged = await read<LoggedRequest>(`/v1/requests/${encodeURIComponent(requestId)}`);
  const { template_version: version = template.version, options = {} } = logged;
  if (logged.template_id !== id) throw new Error('The request has rendered something else.');
  if (version === template.version) return { version, options };
  const { html = '', engine } = await read<TemplateRecord>(`/v1/templates/${id}/versions/${version}`);
  return { version, options, template: lines(html), engine, ...(await readEarlier(id, version, style)) };
}
