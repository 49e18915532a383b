/** Lists the versions of a template, to view, compare and restore them. */

import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { sizeText } from '../shared/size-text.ts';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage, Loading, Time } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { useLoaded } from './loaded.ts';
import { ReadOnlyCode } from './read-only-code.tsx';
import type { List, TemplateRecord, VersionRecord } from './records.ts';
import { ifVersion, read, send } from './session.ts';
import { ACTIONS, type Column, Table } from './table.tsx';
import { readEarlierFiles, toAssetChanges } from './template-assets.ts';

type SelectedVersion = { version: number; compares: boolean };

interface VersionsProps {
  template: TemplateRecord;
  /** Whether restoring a version would discard changes in the editor. */
  unsaved: boolean;
  onRestored(record: TemplateRecord): void;
  /** Is called with the template after a version was published, or none. */
  onPublished(record: TemplateRecord): void;
}

export function TemplateVersions({ template, unsaved, onRestored, onPublished }: VersionsProps) {
  const path = `/v1/templates/${template.template_id}`;
  const list = useLoaded(
    (signal) => read<List<VersionRecord>>(`${path}/versions?limit=100`, { signal }),
    [path, template.version, template.published_version],
  );
  const publishing = useAction();
  const publish = (published_version: number | null) =>
    publishing.run(async () => {
      await send('PATCH', path, { published_version });
      onPublished({ ...template, published_version });
      showToast(published_version ? `Version ${published_version} is published.` : 'No version is published.');
    });
  const [look, setLook] = useState<SelectedVersion | null>(null);
  return (
    <div class="versions stack">
      <ErrorMessage error={list.error} onRetry={list.reload} />
      <ErrorMessage error={publishing.error} />
      {!list.value && list.loading && <Loading what="the versions" />}
      {list.value && (
        <VersionTable
          rows={list.value.data}
          template={template}
          onLook={setLook}
          onPublish={publishing.running ? undefined : publish}
        />
      )}
      <p class="hint">
        Renders with <code>{template.template_id}@published</code> use the published version, and with the id alone the current
        one.
      </p>
      {look && (
        <OneVersion
          key={`${look.version}-${look.compares}`}
          look={look}
          template={template}
          unsaved={unsaved}
          onRestored={onRestored}
        />
      )}
    </div>
  );
}

interface VersionTableProps {
  rows: VersionRecord[];
  template: TemplateRecord;
  onLook(look: SelectedVersion): void;
  /** Absent while another one is being published. */
  onPublish: ((version: number | null) => void) | undefined;
}

function VersionTable({ rows, template: { version: current }, onLook, onPublish }: VersionTableProps) {
  const actions = ({ version, published }: VersionRecord) => (
    <div class="actions end">
      <Button
        label={published ? 'Unpublish' : 'Publish'}
        look="small"
        name={`${published ? 'Unpublish' : 'Publish'} version ${version}`}
        disabled={!onPublish}
        onClick={() => onPublish?.(published ? null : version)}
      />
      {version !== current && <LookButtons version={version} onLook={onLook} />}
    </div>
  );
  const columns: Array<Column<VersionRecord>> = [
    {
      title: 'Version',
      cell: ({ version, published }) => [
        version,
        version === current && <span class="hint"> current</span>,
        published && <span class="hint"> published</span>,
      ],
    },
    { title: 'Size', look: 'number', cell: ({ bytes }) => sizeText(bytes) },
    { title: 'Stored', look: 'wide', cell: ({ updated_at }) => <Time at={updated_at} /> },
    { title: ACTIONS, cell: actions },
  ];
  return <Table caption="Versions, newest first" columns={columns} rows={rows} keyOf={({ version }) => version} />;
}

function LookButtons({ version, onLook }: Pick<VersionTableProps, 'onLook'> & Pick<VersionRecord, 'version'>) {
  return (
    <>
      <Button label="View" look="small" name={`View version ${version}`} onClick={() => onLook({ version, compares: false })} />
      <Button
        label="Compare"
        look="small"
        name={`Compare version ${version}`}
        onClick={() => onLook({ version, compares: true })}
      />
    </>
  );
}

interface OneVersionProps extends Omit<VersionsProps, 'onPublished'> {
  look: SelectedVersion;
}

function OneVersion({ look: { version, compares }, template, unsaved, onRestored }: OneVersionProps) {
  const path = `/v1/templates/${template.template_id}`;
  const [restores, setRestores] = useState(false);
  const loaded = useLoaded((signal) => read<TemplateRecord>(`${path}/versions/${version}`, { signal }), [path, version]);
  const { html = '', engine, schema } = loaded.value ?? {};
  const restore = async () => {
    const assets = await toAssetChanges(await readEarlierFiles(template.template_id, version));
    const parts = { html, engine, schema: schema ?? {}, assets };
    const reply = await send('PATCH', path, parts, { headers: ifVersion(template.version) });
    const record = (await reply.json()) as TemplateRecord;
    showToast(`Version ${version} was restored as version ${record.version}.`);
    setRestores(false);
    onRestored(record);
  };
  return (
    <section class="stack" aria-label={`Version ${version}`}>
      <div class="page-head">
        <h2 class="minor">
          {compares ? `From version ${version} to version ${template.version}` : `Version ${version} (${engine ?? '…'})`}
        </h2>
        <Button label={`Restore version ${version}`} look="small" disabled={!loaded.value} onClick={() => setRestores(true)} />
      </div>
      <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
      {loaded.value && (
        <div class="editor-place">
          {compares ? (
            <ReadOnlyCode label={`Changes since version ${version}`} text={template.html ?? ''} since={html} />
          ) : (
            <ReadOnlyCode label={`HTML of version ${version}`} text={html} />
          )}
        </div>
      )}
      {restores && (
        <Confirm title={`Restore version ${version}?`} verb="Restore" onConfirm={restore} onClose={() => setRestores(false)}>
          <p>
            It becomes the newest version, with its files; version {template.version} is kept besides.
            {unsaved && ' Unsaved changes in the editor stay there.'}
          </p>
        </Confirm>
      )}
    </section>
  );
}
