/** Renders two versions of a template with the same data, and shows where their pages differ. */
import { useState } from 'preact/hooks';
import { toAssetChanges } from '../playground/files/assets.ts';
import { Button } from '../shared/button.tsx';
import type { Draft } from '../shared/kept-drafts.ts';
import { readData } from '../shared/read-data.ts';
import type { RenderedPdf } from '../shared/rendered-pdf.ts';
import { useAction } from './action.ts';
import { ErrorMessage, Name } from './components.tsx';
import { countText } from './format.ts';
import { useLoaded } from './loaded.ts';
import { countsText, PageDifferences } from './page-differences.tsx';
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

/** The comparison with one set of data, with what was found or why nothing was. */
interface Compared {
  name: string;
  names: [string, string];
  found?: Comparison;
  error?: unknown;
}

/** For how many pages that differ there are pictures, of all sets of data together. */
const PICTURES = 20;
const LEAST_PICTURES = 2;
/** The name of data that is not stored. */
const OTHER = '';

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
  const sets = [...(unsaved || !Object.keys(samples).length ? [OTHER] : []), ...Object.keys(samples)];
  const titleOf = (name: string) => (name !== OTHER ? name : unsaved ? 'Data in the editor' : 'Generated data');
  const [wanted, setWanted] = useState(sets.slice(0, 1));
  const [compared, setCompared] = useState<Compared[]>([]);
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
  const chosen = sets.filter((name) => wanted.includes(name));
  const pictures = Math.max(LEAST_PICTURES, Math.floor(PICTURES / chosen.length));
  const compareWith = async (name: string): Promise<Comparison> => {
    const values = name === OTHER ? readData(unsaved?.data ?? firstSample(template).text) : (samples[name] ?? {});
    const form = new FormData();
    form.append('before', new Blob([(await render(before, values)).pdf]), 'before.pdf');
    form.append('after', new Blob([(await render(after, values)).pdf]), 'after.pdf');
    const reply = await call(`/v1/pdf/compare?pictures=${pictures}`, { method: 'POST', body: form });
    return (await reply.json()) as Comparison;
  };
  const compare = () =>
    comparing.run(async () => {
      setCompared([]);
      for (const name of chosen) {
        const outcome = await compareWith(name).then(
          (found) => ({ found }),
          (error: unknown) => ({ error }),
        );
        const names: Compared['names'] = [nameOf(before), nameOf(after)];
        setCompared((earlier) => [...earlier, { name: titleOf(name), names, ...outcome }]);
      }
    });
  return (
    <>
      <div class="comparison-form">
        <VersionField id="compared-before" label="Before" {...{ versions, hasUnsaved }} value={before} onChange={setBefore} />
        <VersionField id="compared-after" label="After" {...{ versions, hasUnsaved }} value={after} onChange={setAfter} />
        <DataSets sets={sets} wanted={chosen} titleOf={titleOf} onChange={setWanted} />
        <Button
          label={comparing.running ? 'Comparing…' : 'Compare pages'}
          look="primary"
          disabled={comparing.running || !chosen.length}
          onClick={compare}
        />
      </div>
      <p class="hint">{isFree(playground, { html: template.html ?? '' }) ? FREE : COUNTED}</p>
      <Outcomes compared={compared} left={comparing.running ? chosen.length - compared.length : 0} />
    </>
  );
}

interface DataSetsProps {
  sets: string[];
  wanted: string[];
  titleOf(name: string): string;
  onChange(wanted: string[]): void;
}

function DataSets({ sets, wanted, titleOf, onChange }: DataSetsProps) {
  const toggle = (name: string) => onChange(wanted.includes(name) ? wanted.filter((each) => each !== name) : [...wanted, name]);
  return (
    <fieldset class="data-sets">
      <legend>Data</legend>
      {sets.map((name) => (
        <label class="check" key={name}>
          <input type="checkbox" checked={wanted.includes(name)} onChange={() => toggle(name)} />
          <span>{titleOf(name)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The line with the counts is there from the beginning, so that its change is read out. */
function Outcomes({ compared, left }: { compared: Compared[]; left: number }) {
  const [only, ...others] = compared;
  const isOne = only !== undefined && !others.length && !left;
  return (
    <>
      <p role="status">{isOne ? only.found && countsText(only.found) : summaryText(compared, left)}</p>
      {compared.map((each) => (
        <Outcome key={each.name} compared={each} isOne={isOne} />
      ))}
    </>
  );
}

function summaryText(compared: Compared[], left: number): string {
  if (left) return `Comparing, ${countText(left, 'data set')} left`;
  if (!compared.length) return '';
  const differing = compared.filter(({ found }) => found && !found.equal).length;
  return `${differing} of ${countText(compared.length, 'data set')} with differences`;
}

function Outcome({ compared: { name, names, found, error }, isOne }: { compared: Compared; isOne: boolean }) {
  const pages = found && <PageDifferences {...{ names, found }} level={isOne ? 3 : 4} />;
  if (isOne) return <>{pages ?? <ErrorMessage error={error} />}</>;
  return (
    <section aria-label={name}>
      <h3 class="minor">
        <Name>{name}</Name>
        {found && <span class="hint"> {countsText(found)}</span>}
      </h3>
      <ErrorMessage error={error} />
      {pages}
    </section>
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
