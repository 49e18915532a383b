/** Shows a stored document: its pages, its properties and the available actions. */

import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { PdfView } from '../shared/pdf-view/pdf-view.tsx';
import { sizeText } from '../shared/size-text.ts';
import { showToast } from '../shared/toast.tsx';
import { go } from '../shell/route.ts';
import { useRead } from './cached.ts';
import { ErrorMessage, Facts, Loading, Name, PageHead, Span, Time } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { hasStatus, numberText } from './format.ts';
import { LinkDialog } from './link-dialog.tsx';
import { useLoaded } from './loaded.ts';
import type { DocumentRecord } from './records.ts';
import { ReportView } from './report.tsx';
import { call } from './session.ts';

/** A larger document is loaded only on request. */
const SHOWN_UNASKED_BYTES = 25_000_000;

type Asked = 'link' | 'delete' | null;

export function DocumentPage({ id }: { id: string }) {
  const path = `/v1/documents/${encodeURIComponent(id)}`;
  const record = useRead<DocumentRecord>(path);
  return (
    <>
      <p class="back">
        <a href="/dashboard/documents">All documents</a>
      </p>
      {record.error !== undefined && <Missing error={record.error} onRetry={record.reload} />}
      {!record.value && record.loading && <Loading what="the document" />}
      {record.value && <Found record={record.value} path={path} />}
    </>
  );
}

function Missing({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const gone = hasStatus(error, 410);
  return (
    <>
      {gone && <PageHead title="This document no longer exists" />}
      {hasStatus(error, 404) && <PageHead title="There is no such document" />}
      <ErrorMessage error={error} onRetry={gone ? undefined : onRetry} />
      {gone && <p class="hint">Its content has been removed from the service and cannot be restored.</p>}
    </>
  );
}

function Found({ record, path }: { record: DocumentRecord; path: string }) {
  const [asked, setAsked] = useState<Asked>(null);
  const [wanted, setWanted] = useState(record.bytes <= SHOWN_UNASKED_BYTES);
  const close = () => setAsked(null);
  return (
    <>
      <PageHead title={<Name>{record.filename}</Name>}>
        <a class="button primary" href={`${path}?download=1`}>
          Download
        </a>
        <a class="button" href={path} target="_blank" rel="noopener">
          Open in a new tab
        </a>
        <Button label="Signed link" onClick={() => setAsked('link')} />
        <Button label="Delete" look="danger" onClick={() => setAsked('delete')} />
      </PageHead>
      <div class="beside">
        {wanted ? (
          <Preview path={path} type={record.type} />
        ) : (
          <div>
            <Button label={`Show all ${sizeText(record.bytes)}`} onClick={() => setWanted(true)} />
          </div>
        )}
        <aside class="stack">
          <RecordFacts record={record} />
          {record.report && <ReportView report={record.report} />}
        </aside>
      </div>
      {asked === 'link' && <LinkDialog path={path} expiresAt={record.expires_at} onClose={close} />}
      {asked === 'delete' && <DeleteDialog path={path} name={record.filename} onClose={close} />}
    </>
  );
}

function Preview({ path, type }: { path: string; type: string }) {
  if (type !== 'application/pdf')
    return (
      <div class="picture-place">
        <img src={path} alt="The stored document" />
      </div>
    );
  return <PdfPreview path={path} />;
}

function PdfPreview({ path }: { path: string }) {
  const bytes = useLoaded(
    async (signal) => new Uint8Array(await (await call(path, { signal, headers: { accept: 'application/pdf' } })).arrayBuffer()),
    [path],
  );
  if (bytes.error !== undefined) return <ErrorMessage error={bytes.error} onRetry={bytes.reload} />;
  return (
    <div class="pdf-place">
      <PdfView pdf={bytes.value} busy={bytes.loading} thumbnails={false}>
        <p class="nothing">Loading the pages…</p>
      </PdfView>
    </div>
  );
}

function RecordFacts({ record }: { record: DocumentRecord }) {
  const source = record.template_id ? (
    <a href={`/dashboard/templates/${record.template_id}`}>Template</a>
  ) : record.source === 'markdown' ? (
    'Markdown'
  ) : (
    record.source.toUpperCase()
  );
  return (
    <section>
      <h2>About</h2>
      <Facts
        facts={[
          record.width === undefined ? ['Pages', numberText(record.pages)] : ['Pixels', `${record.width} × ${record.height}`],
          ['Size', sizeText(record.bytes)],
          ['Source', source],
          ['Created', <Time key="created" at={record.created_at} />],
          ['Expires', <Span key="expires" to={record.expires_at} />],
          [
            'Id',
            <code key="id" class="break">
              {record.document_id}
            </code>,
          ],
          [
            'SHA-256',
            <code key="sha" class="break">
              {record.sha256}
            </code>,
          ],
        ]}
      />
    </section>
  );
}

function DeleteDialog({ path, name, onClose }: { path: string; name: string; onClose(): void }) {
  const remove = async () => {
    await call(path, { method: 'DELETE' });
    showToast(`${name} was deleted.`);
    go('/dashboard/documents');
  };
  return (
    <Confirm title="Delete this document?" verb="Delete" onConfirm={remove} onClose={onClose}>
      <p>
        <Name>{name}</Name> is removed permanently, and its signed links stop working. It still counts in the month in which it
        was rendered.
      </p>
    </Confirm>
  );
}
