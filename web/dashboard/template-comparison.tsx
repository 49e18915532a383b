/** Renders two versions of a template with the same data, and shows where their pages differ. */
import { useState } from 'preact/hooks';
import { toAssetChanges } from '../playground/files/assets.ts';
import { Button } from '../shared/button.tsx';
import type { Draft } from '../shared/kept-drafts.ts';
import { readData } from '../shared/read-data.ts';
import type { RenderedPdf } from '../shared/rendered-pdf.ts';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import { useLoaded } from './loaded.ts';
import { PageDifferences } from './page-differences.tsx';
import type { Comparison, List, Playground, TemplateRecord, VersionRecord } from './records.ts';
import { firstSample } from './sample-data.ts';
import { call, read } from './session.ts';
import { isFree, readPlayground, renderDraft, renderSaved, type TemplateText } from './template-preview.ts';

interface ComparisonProps {
  template: TemplateRecord;
  /** What is in the editor and not saved; undefined for nothing. */
  unsaved: Draft | undefined;
}

/** The number of a version, or what is in the editor. */
type Choice = number | 'editor';

interface Shown {
  names: [string, string];
  found: Comparison;
}

/** For how many pages that differ there are pictures. */
const PICTURES = 20;

export function TemplateComparison(props: ComparisonProps) {
  const { template_id: id, version } = props.template;
  const path = `/v1/templates/${id}/versions`;
  const list = useLoaded((signal) => read<List<VersionRecord>>(`${path}?limit=100`, { signal }), [path, version]);
  const playground = useLoaded(readPlayground, []);
  const versions = list.value?.data.map((each) => each.version);
  return (
    <section class="comparison stack" aria-labelledby="comparison-title">
      <h2 id="comparison-title" class="minor">
        Compare pages
      </h2>
      <ErrorMessage error={list.error} onRetry={list.reload} />
      {versions && !playground.loading && (
        <ChosenVersions {...props} path={path} versions={versions} playground={playground.value} />
      )}
    </section>
  );
}

interface ChosenProps extends ComparisonProps {
  path: string;
  /** Newest first. */
  versions: number[];
  playground: Playground | undefined;
}

function ChosenVersions({ template, unsaved, path, versions, playground }: ChosenProps) {
  const [newest = template.version, previous = newest] = versions;
  const [before, setBefore] = useState<Choice>(previous);
  const [after, setAfter] = useState<Choice>(newest);
  const { samples = {} } = template;
  const names = Object.keys(samples);
  const [sample, setSample] = useState(unsaved ? '' : (names[0] ?? ''));
  const [shown, setShown] = useState<Shown>();
  const comparing = useAction();
  const hasUnsaved = unsaved !== undefined;
  const render = async (choice: Choice, values: Record<string, unknown>): Promise<RenderedPdf> => {
    const { template_id: id } = template;
    const isEditor = choice === 'editor';
    const source = isEditor ? await toText(unsaved) : toSource(await read<TemplateRecord>(`${path}/${choice}`));
    if (isFree(playground, source)) return renderDraft(source, values, isEditor ? id : `${id}@${choice}`);
    if (isEditor) throw new Error(CANNOT);
    return renderSaved(`${id}@${choice}`, values);
  };
  const compare = () =>
    comparing.run(async () => {
      const values = sample === '' ? readData(unsaved?.data ?? firstSample(template).text) : (samples[sample] ?? {});
      const form = new FormData();
      form.append('before', new Blob([(await render(before, values)).pdf]), 'before.pdf');
      form.append('after', new Blob([(await render(after, values)).pdf]), 'after.pdf');
      const reply = await call(`/v1/pdf/compare?pictures=${PICTURES}`, { method: 'POST', body: form });
      setShown({ names: [nameOf(before), nameOf(after)], found: (await reply.json()) as Comparison });
    });
  return (
    <>
      <div class="comparison-form">
        <VersionField id="compared-before" label="Before" {...{ versions, hasUnsaved }} value={before} onChange={setBefore} />
        <VersionField id="compared-after" label="After" {...{ versions, hasUnsaved }} value={after} onChange={setAfter} />
        <div class="field">
          <label for="compared-data">Data</label>
          <select id="compared-data" value={sample} onChange={(event) => setSample(event.currentTarget.value)}>
            {(unsaved || !names.length) && <option value="">{unsaved ? 'Data in the editor' : 'Generated data'}</option>}
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <Button
          label={comparing.running ? 'Comparing…' : 'Compare pages'}
          look="primary"
          disabled={comparing.running}
          onClick={compare}
        />
      </div>
      <p class="hint">{isFree(playground, { html: template.html ?? '' }) ? FREE : COUNTED}</p>
      <ErrorMessage error={comparing.error} />
      <PageDifferences {...(comparing.running ? {} : shown)} />
    </>
  );
}

const FREE = 'Nothing is saved, stored or counted.';
const COUNTED = 'The playground is off, or the template is too large for it, so that each version counts as a document.';
const CANNOT = 'The text in the editor cannot be rendered without a charge. Save it, and choose its version.';

function toSource({ html = '', engine }: TemplateRecord): TemplateText {
  return { html, engine };
}

async function toText(draft: Draft | undefined): Promise<TemplateText> {
  const assets = draft ? await toAssetChanges(draft) : {};
  return { html: draft?.template ?? '', engine: draft?.engine ?? 'placeholders', assets };
}

function nameOf(choice: Choice): string {
  return choice === 'editor' ? 'text in the editor' : `version ${choice}`;
}

interface VersionFieldProps {
  id: string;
  label: string;
  versions: number[];
  hasUnsaved: boolean;
  value: Choice;
  onChange(value: Choice): void;
}

function VersionField({ id, label, versions, hasUnsaved, value, onChange }: VersionFieldProps) {
  const change = (text: string) => onChange(text === 'editor' ? text : Number(text));
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => change(event.currentTarget.value)}>
        {hasUnsaved && <option value="editor">Text in the editor</option>}
        {versions.map((version) => (
          <option key={version} value={version}>
            Version {version}
          </option>
        ))}
      </select>
    </div>
  );
}
