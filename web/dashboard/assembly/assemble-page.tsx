/** Puts a PDF together from pages of files and templates: the pages stay in this tab, and the service keeps nothing unless asked to. */
import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { PasswordForm, PdfView } from '../../shared/pdf-view/pdf-view.tsx';
import { readData } from '../../shared/read-data.ts';
import type { Report } from '../../shared/rendered-pdf.ts';
import { readRenderedPdf } from '../../shared/rendered-pdf.ts';
import { saveFile } from '../../shared/save-file.ts';
import { showToast } from '../../shared/toast.tsx';
import { type Action, useAction } from '../action.ts';
import { ErrorMessage, Name, PageHead } from '../components.tsx';
import { FileButton } from '../file-button.tsx';
import { countText, sentence } from '../format.ts';
import type { DocumentRecord, TemplateRecord } from '../records.ts';
import { WarningList } from '../report.tsx';
import { firstSample } from '../sample-data.ts';
import { call, read } from '../session.ts';
import { renderSaved } from '../template-preview.ts';
import { useTemplates } from '../templates.ts';
import {
  type AssemblyChoices,
  addPdf,
  letterhead,
  markAssembled,
  moveSelected,
  type Page,
  pages,
  removeSelected,
  select,
  selectedPages,
  toForm,
  turnSelected,
} from './assembly.ts';
import { PageList } from './page-list.tsx';

interface Result {
  pdf: Uint8Array<ArrayBuffer>;
  report: Report;
  filename: string;
  /** What the result was made of, to tell whether it is outdated. */
  of: readonly Page[];
  letterhead: File | undefined;
  /** Set if it was stored. */
  documentId: string | undefined;
}

/** A protected file that waits for its password. */
interface Locked {
  file: File;
  asked: string;
}

export function AssemblePage() {
  const adding = useAdding();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can also be chosen with the button
    <div
      class="stack"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        adding.add([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <PageHead title="Assemble" />
      <p class="hint">
        Drop PDFs here, or add them and templates below. They stay in this tab. The service puts them together, and keeps nothing
        unless you store the result.
      </p>
      <Sources adding={adding} />
      <ErrorMessage error={adding.action.error} />
      {pages.value.length > 0 && (
        <>
          <Tools />
          <PageList />
          <Making />
        </>
      )}
      {adding.locked && (
        <Dialog title="Password needed" onClose={adding.skip}>
          <p>
            <Name>{adding.locked.file.name}</Name>
          </p>
          <PasswordForm asked={adding.locked.asked} onPassword={adding.unlock} />
          <div class="actions end">
            <Button label="Leave the file out" onClick={adding.skip} />
          </div>
        </Dialog>
      )}
    </div>
  );
}

interface Adding {
  action: Action;
  locked: Locked | undefined;
  add(files: File[]): void;
  addTemplate(id: string): void;
  unlock(password: string): void;
  skip(): void;
}

function useAdding(): Adding {
  const action = useAction();
  const waiting = useSignal<Locked[]>([]);
  const open = async (file: File, password?: string): Promise<boolean> => {
    try {
      showToast(`${countText(await addPdf(file.name, file, password), 'page')} of ${file.name} were added.`);
      return true;
    } catch (error) {
      if ((error as Error).name !== 'PasswordException') throw new Error(`${file.name} cannot be read as a PDF.`);
      return false;
    }
  };
  const add = (files: File[]) =>
    action.run(async () => {
      for (const file of files)
        if (!(await open(file))) waiting.value = [...waiting.value, { file, asked: 'This PDF is protected.' }];
    });
  const addTemplate = (id: string) =>
    action.run(async () => {
      const template = await read<TemplateRecord>(`/v1/templates/${id}`);
      const { pdf } = await renderSaved(id, readData(firstSample(template).text));
      await addPdf(template.name, new Blob([pdf], { type: 'application/pdf' }));
    });
  const skip = () => {
    waiting.value = waiting.value.slice(1);
  };
  const unlock = (password: string) =>
    action.run(async () => {
      const [locked, ...others] = waiting.value;
      if (!locked) return;
      const isOpen = await open(locked.file, password);
      waiting.value = isOpen ? others : [{ ...locked, asked: 'The PDF does not open with this password.' }, ...others];
    });
  return { action, locked: waiting.value[0], add, addTemplate, unlock, skip };
}

function Sources({ adding: { action, add, addTemplate } }: { adding: Adding }) {
  const templates = useTemplates();
  const [template, setTemplate] = useState('');
  return (
    <div class="filters">
      <FileButton label="Add PDFs" accept="application/pdf" disabled={action.running} multiple onChosen={add} />
      <div class="field">
        <label for="assemble-template">Template</label>
        <select id="assemble-template" value={template} onChange={(event) => setTemplate(event.currentTarget.value)}>
          <option value="">None</option>
          {templates.map(({ template_id, name }) => (
            <option key={template_id} value={template_id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <Button
        label={action.running ? 'Adding…' : 'Add the template'}
        disabled={action.running || template === ''}
        onClick={() => addTemplate(template)}
      />
      <p class="hint filters-end">It is rendered with its sample data, which counts as one document.</p>
    </div>
  );
}

/** What can be done with the selected pages. */
function Tools() {
  const count = selectedPages.value.length;
  const act = (work: () => void) => ({ disabled: count === 0, onClick: work });
  return (
    <div class="actions" role="toolbar" aria-label="Selected pages">
      <Button
        label={count === pages.value.length ? 'Select none' : 'Select all'}
        look="small"
        onClick={() => select(count === pages.value.length ? [] : pages.value.map(({ key }) => key))}
      />
      <Button label="To the start" look="small" {...act(() => moveSelected('start'))} />
      <Button label="Earlier" look="small" {...act(() => moveSelected('earlier'))} />
      <Button label="Later" look="small" {...act(() => moveSelected('later'))} />
      <Button label="To the end" look="small" {...act(() => moveSelected('end'))} />
      <Button label="Turn" look="small" {...act(turnSelected)} />
      <Button label="Remove" look="small danger" {...act(removeSelected)} />
      <p class="hint" role="status">
        {countText(pages.value.length, 'page')}, {count} selected
      </p>
    </div>
  );
}

function Making() {
  const choices = useSignal<AssemblyChoices>({ filename: '', store: false, dropSignatures: false });
  const result = useSignal<Result | undefined>(undefined);
  const action = useAction();
  const make = () =>
    action.run(async () => {
      const [of, under] = [pages.value, letterhead.value];
      result.value = { ...(await assemble(choices.value)), of, letterhead: under };
      markAssembled(of);
    });
  const shown = result.value;
  const isOutdated = shown !== undefined && (shown.of !== pages.value || shown.letterhead !== letterhead.value);
  return (
    <>
      <Choices
        choices={choices.value}
        onChange={(part) => {
          choices.value = { ...choices.value, ...part };
        }}
      />
      <div class="actions">
        <Button label={action.running ? 'Assembling…' : 'Assemble'} look="primary" disabled={action.running} onClick={make} />
        {shown && (
          <Button
            label="Download"
            disabled={isOutdated}
            onClick={() => saveFile(new Blob([shown.pdf], { type: 'application/pdf' }), shown.filename)}
          />
        )}
        {shown?.documentId !== undefined && <a href={`/dashboard/documents/${shown.documentId}`}>Open the stored document</a>}
      </div>
      <ErrorMessage error={action.error} />
      {shown && <ShownResult result={shown} busy={action.running} isOutdated={isOutdated} />}
    </>
  );
}

interface ChoicesProps {
  choices: AssemblyChoices;
  onChange(part: Partial<AssemblyChoices>): void;
}

function Choices({ choices, onChange }: ChoicesProps) {
  return (
    <div class="filters">
      <div class="field">
        <label for="assemble-name">File name</label>
        <input
          id="assemble-name"
          autocomplete="off"
          placeholder="document.pdf"
          value={choices.filename}
          onInput={(event) => onChange({ filename: event.currentTarget.value })}
        />
      </div>
      <FileButton
        label={letterhead.value ? 'Another letterhead' : 'Add a letterhead'}
        accept="application/pdf"
        disabled={false}
        onChosen={([file]) => {
          letterhead.value = file;
        }}
      />
      {letterhead.value && (
        <Button
          label={`Remove the letterhead ${letterhead.value.name}`}
          onClick={() => {
            letterhead.value = undefined;
          }}
        />
      )}
      <Check label="Store the result" checked={choices.store} onChange={(store) => onChange({ store })} />
      <Check
        label="Remove signatures, which an assembly breaks"
        checked={choices.dropSignatures}
        onChange={(dropSignatures) => onChange({ dropSignatures })}
      />
    </div>
  );
}

function Check({ label, checked, onChange }: { label: string; checked: boolean; onChange(checked: boolean): void }) {
  return (
    <label class="check filters-end">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

function ShownResult({ result, busy, isOutdated }: { result: Result; busy: boolean; isOutdated: boolean }) {
  const { dropped = [] } = result.report;
  return (
    <section class="stack" aria-label="The new PDF">
      <WarningList report={result.report} />
      {dropped.length > 0 && (
        <div class="note warn">
          <p class="note-title">Not kept</p>
          <ul>
            {dropped.map(({ what, why, part }) => (
              <li key={`${what} ${part}`}>
                {what}
                {part !== undefined && ` of part ${part + 1}`}: {sentence(why)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="pdf-place">
        <PdfView
          pdf={result.pdf}
          busy={busy}
          outdated={isOutdated ? 'Outdated. Assemble it again.' : undefined}
          thumbnails={false}
        />
      </div>
    </section>
  );
}

async function assemble(choices: AssemblyChoices): Promise<Omit<Result, 'of' | 'letterhead'>> {
  const headers = { accept: 'application/json' };
  const reply = await call('/v1/pdf/assemble', { method: 'POST', headers, body: toForm(choices) });
  const filename = choices.filename.trim() || 'document.pdf';
  if (!choices.store) return { ...(await readRenderedPdf(reply)), filename, documentId: undefined };
  const record = (await reply.json()) as DocumentRecord;
  const path = `/v1/documents/${record.document_id}`;
  const [content, { report }] = await Promise.all([
    call(path, { headers: { accept: 'application/pdf' } }),
    read<DocumentRecord>(path, { headers }),
  ]);
  if (!report) throw new Error('The service sent no report.');
  return { pdf: new Uint8Array(await content.arrayBuffer()), report, filename: record.filename, documentId: record.document_id };
}
