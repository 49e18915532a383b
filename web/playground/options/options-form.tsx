/** Shows all options in groups. Only those that differ from their default become part of the draft. */
import { useSignal } from '@preact/signals';
import { Button } from '../../shared/button.tsx';
import { draft } from '../draft.ts';
import { optionErrors, optionName } from '../request-errors.ts';
import { OPTION_GROUPS, type OptionGroup } from './groups.ts';
import { canUndo, changeOption, endStep, replacements, resetOptions, undoOptions } from './option-changes.ts';
import { OptionControl } from './option-control.tsx';
import { OptionsAsJson } from './options-as-json.tsx';
import { PaperPanel } from './paper-panel.tsx';

/** Other words by which people look for an option. */
const SYNONYMS: Record<string, string> = {
  format: 'paper size letter a4 din',
  landscape: 'orientation portrait rotate',
  margin: 'border padding whitespace inset',
  printBackground: 'colours colors background-color',
  password: 'encrypt encryption protect lock permissions',
  conformance: 'archive pdfa pdf/a pdf/ua accessibility iso',
  tagged: 'accessibility screen reader a11y',
  outline: 'bookmarks table of contents navigation',
  images: 'dpi resolution quality jpeg size compress',
  watermark: 'stamp draft background text',
  letterhead: 'stationery background pdf overlay',
  headerTemplate: 'page number puppeteer',
  footerTemplate: 'page number puppeteer',
  header: 'page number running title',
  footer: 'page number running',
  waitForSelector: 'delay ready loaded',
  waitForTimeout: 'delay sleep pause',
  attachments: 'embed file',
  forms: 'fields acroform fillable',
  signature: 'sign certificate pades',
  invoice: 'zugferd factur-x xrechnung',
  scale: 'zoom shrink',
  pageRanges: 'pages only first',
  locale: 'language',
};

export function OptionsForm() {
  const wanted = useSignal('');
  const asJson = useSignal(false);
  const groups = OPTION_GROUPS.map((group) => narrowGroup(group, wanted.value)).filter(({ fields }) => fields.length);
  const set = Object.keys(draft.value.options).length;
  return (
    <form class="options" aria-label="Options" onSubmit={(event) => event.preventDefault()} onFocusOut={endStep}>
      <div class="options-head">
        <input
          type="search"
          aria-label="Find an option"
          placeholder="Find an option"
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value;
          }}
        />
        <Button
          label="JSON"
          name="Options as JSON"
          look="small"
          pressed={asJson.value}
          onClick={() => {
            asJson.value = !asJson.value;
          }}
        />
        <Button
          label="Undo"
          name="Undo the last change of an option"
          look="small"
          disabled={!canUndo.value}
          onClick={undoOptions}
        />
        <Button label="Reset all" look="small" disabled={!set} onClick={resetOptions} />
      </div>
      {asJson.value ? (
        <OptionsAsJson key={replacements.value} />
      ) : (
        <>
          {!wanted.value && <PaperPanel key={replacements.value} />}
          {groups.map((group) => (
            <Group key={group.title} group={group} open={wanted.value !== ''} />
          ))}
        </>
      )}
      {!groups.length && <p class="hint">No option has these words in its name or description.</p>}
    </form>
  );
}

function narrowGroup({ title, fields }: OptionGroup, wanted: string): OptionGroup {
  const words = wanted.toLowerCase().split(/\s+/);
  const hasAll = (text: string) => words.every((word) => text.includes(word));
  return { title, fields: fields.filter(({ name, help }) => hasAll(`${name} ${help} ${SYNONYMS[name] ?? ''}`.toLowerCase())) };
}

/** A group that has been opened stays open until it is closed by hand, so that nothing moves under the cursor. */
function Group({ group: { title, fields }, open }: { group: OptionGroup; open: boolean }) {
  const wasOpen = useSignal(false);
  const { options } = draft.value;
  const set = fields.filter(({ name }) => options[name] !== undefined).length;
  const names = new Set(fields.map(({ name }) => name));
  const invalid = optionErrors.value.some((error) => names.has(optionName(error)));
  return (
    <details
      class="group"
      open={open || invalid || set > 0 || wasOpen.value}
      onToggle={({ currentTarget }) => {
        wasOpen.value = currentTarget.open;
      }}
    >
      <summary>
        <h2 class="minor">{title}</h2>
        {set > 0 && <span class="count">{set} set</span>}
        {invalid && <span class="count invalid">to fix</span>}
      </summary>
      {fields.map((field) => (
        <OptionControl
          key={`${field.name} ${replacements.value}`}
          field={field}
          path={field.name}
          value={options[field.name]}
          onChange={(value) => changeOption(field.name, value)}
        />
      ))}
    </details>
  );
}
