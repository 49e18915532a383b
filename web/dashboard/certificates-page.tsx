/** Lists the certificates that sign PDFs, and adds and deletes them. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { readFileAs } from '../shared/file-content.ts';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { Empty, ErrorMessage, Name, PageHead, Span } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { FileButton } from './file-button.tsx';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { Certificate } from './records.ts';
import { call, send } from './session.ts';
import { ACTIONS, type Column, Table } from './table.tsx';

const PATH = '/v1/certificates';
const SOON_MS = 30 * 86_400_000;

export function CertificatesPage() {
  const list = usePaged<Certificate>(`${PATH}?limit=25`);
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Certificate | null>(null);
  const added = ({ name }: Certificate) => {
    showToast(`The certificate ${name} was added.`);
    setAdding(false);
    list.reload();
  };
  const remove = async ({ certificate_id, name }: Certificate) => {
    await call(`${PATH}/${certificate_id}`, { method: 'DELETE' });
    showToast(`The certificate ${name} was deleted.`);
    setRemoved(null);
    list.reload();
  };
  const actions = (row: Certificate) => (
    <div class="actions end">
      <Button label="Delete" look="small danger" name={`Delete ${row.name}`} onClick={() => setRemoved(row)} />
    </div>
  );
  return (
    <>
      <PageHead title="Certificates">
        <Button label="Refresh" onClick={list.reload} />
        <Button label="Add a certificate" look="primary" onClick={() => setAdding(true)} />
      </PageHead>
      <PagedList
        list={list}
        one="certificate"
        empty={
          <Empty title="No certificates">
            <p>
              A certificate with its private key signs PDFs: name its id in <code>options.signature</code>.
            </p>
          </Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Certificates, newest first"
            columns={[...COLUMNS, { title: ACTIONS, cell: actions }]}
            rows={rows}
            keyOf={({ certificate_id }) => certificate_id}
          />
        )}
      </PagedList>
      {adding && <NewCertificate onAdded={added} onClose={() => setAdding(false)} />}
      {removed && (
        <Confirm
          title="Delete this certificate?"
          verb="Delete"
          onConfirm={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>
            <Name>{removed.name}</Name> and its private key are deleted for good. PDFs that it has signed stay valid.
          </p>
        </Confirm>
      )}
    </>
  );
}

const COLUMNS: Array<Column<Certificate>> = [
  { title: 'Certificate', cell: (certificate) => <Title certificate={certificate} /> },
  { title: 'Issuer', look: 'wide', cell: ({ issuer }) => <Name>{issuer}</Name> },
  { title: 'Key', look: 'wide', cell: ({ key_type }) => key_type },
  { title: 'Valid', cell: (certificate) => <Validity certificate={certificate} /> },
];

function Title({ certificate: { name, subject, certificate_id } }: { certificate: Certificate }) {
  return (
    <>
      <Name>{name}</Name>
      <div class="hint break">{subject}</div>
      <div class="hint">
        <code>{certificate_id}</code>
      </div>
    </>
  );
}

function Validity({ certificate: { not_before, not_after } }: { certificate: Certificate }) {
  const left = Date.parse(not_after) - Date.now();
  if (left <= 0) return <strong>expired</strong>;
  if (Date.parse(not_before) > Date.now())
    return (
      <>
        from <Span to={not_before} />
      </>
    );
  const end = <Span to={not_after} />;
  return <>ends {left < SOON_MS ? <strong>{end}</strong> : end}</>;
}

function NewCertificate({ onAdded, onClose }: { onAdded(certificate: Certificate): void; onClose(): void }) {
  const [name, setName] = useState('');
  const [file, setFile] = useState<File | undefined>();
  const [password, setPassword] = useState('');
  const adding = useAction();
  const add = () =>
    adding.run(async () => {
      const pkcs12 = await readFileAs(file as File, 'base64');
      onAdded((await (await send('POST', PATH, { name, pkcs12, password })).json()) as Certificate);
    });
  return (
    <Dialog title="Add a certificate" onClose={onClose}>
      <div class="field">
        <label for="certificate-name">Name</label>
        <input
          id="certificate-name"
          autocomplete="off"
          maxLength={200}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <div class="actions">
        <FileButton
          label={file ? 'Choose another file' : 'Choose a PKCS#12 file'}
          accept=".p12,.pfx,application/x-pkcs12"
          disabled={adding.running}
          onChosen={([chosen]) => setFile(chosen)}
        />
        {file && <Name>{file.name}</Name>}
      </div>
      <div class="field">
        <label for="certificate-password">Password of the file</label>
        <input
          id="certificate-password"
          type="password"
          autocomplete="off"
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </div>
      <p class="hint">The service encrypts the private key, and never sends it. It does not keep the password.</p>
      <ErrorMessage error={adding.error} />
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
        <Button label="Add" look="primary" disabled={adding.running || !file || !name.trim()} onClick={add} />
      </div>
    </Dialog>
  );
}
