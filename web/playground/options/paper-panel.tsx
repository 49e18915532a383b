/** What is set most often, as it looks on paper: size, margins, header and footer, and what the file is to be. */
import { useMemo, useRef } from 'preact/hooks';
import { Switch } from '../../shared/switch.tsx';
import { draft, isObject } from '../draft.ts';
import { pane } from '../panes.ts';
import { documentMargins } from './document-margins.ts';
import { OPTION_GROUPS } from './groups.ts';
import { changeOption } from './option-changes.ts';
import {
  changeMargin,
  eachSide,
  type Margins,
  paperSize,
  printedArea,
  readMargins,
  SIDES,
  type Side,
  USUAL_MARGIN,
} from './paper-size.ts';

type Edge = 'header' | 'footer';

const FIELDS = { page: 'pageNumber', pages: 'totalPages', title: 'title', date: 'date' } as const;
const span = (name: keyof typeof FIELDS) => `<span class="${FIELDS[name]}"></span>`;
const line = (content: string) => `<p style="margin: 0; font-size: 9pt; text-align: center">${content}</p>`;
const PRESETS: Array<{ name: string; html: string | undefined }> = [
  { name: 'None', html: undefined },
  { name: 'Page number', html: line(span('page')) },
  { name: 'Page and pages', html: line(`${span('page')} of ${span('pages')}`) },
  { name: 'Title', html: line(span('title')) },
  { name: 'Title and page', html: line(`${span('title')}, page ${span('page')}`) },
  { name: 'Date', html: line(span('date')) },
];
/** The choice of the format that a document has without the option. */
const USUAL = 'A4 or @page';
/** The choice of HTML that is not among the presets. */
const OWN = 'Own HTML';
const FORMATS = OPTION_GROUPS.flatMap(({ fields }) => fields).find(({ name }) => name === 'format');

export function PaperPanel() {
  return (
    <section class="paper" aria-label="Paper">
      <Sheet />
      <div class="paper-choices">
        <Size />
        <EdgeChoice edge="header" label="Header" />
        <EdgeChoice edge="footer" label="Footer" />
        <Kinds />
        <Texts />
      </div>
    </section>
  );
}

function Sheet() {
  const { options } = draft.value;
  const paper = paperSize(options);
  const margins = readMargins(options.margin);
  const without = useMarginsWithout();
  const area = printedArea(margins, paper, without);
  const inset = SIDES.map((side) => `${area[side]}%`).join(' ');
  return (
    <fieldset class="sheet-frame">
      <legend class="visually-hidden">Margins</legend>
      {SIDES.map((side) => (
        <MarginField
          key={side}
          side={side}
          value={margins[side]}
          without={without[side]}
          onChange={(length) => changeOption('margin', changeMargin(margins, side, length, without))}
        />
      ))}
      <div class="sheet" style={{ aspectRatio: `${paper.width} / ${paper.height}` }} aria-hidden="true">
        {options.header !== undefined && <span class="sheet-edge top">header</span>}
        <div class="sheet-area" style={{ '--inset': inset }} />
        {options.footer !== undefined && <span class="sheet-edge bottom">footer</span>}
      </div>
    </fieldset>
  );
}

/** The margins of the document without the option. They are read when the options are opened, because the text cannot change there. */
function useMarginsWithout(): Margins {
  const isShown = pane.value === 'options';
  return useMemo(() => {
    const own = isShown ? documentMargins(draft.peek()) : undefined;
    return eachSide((side) => own?.[side] || USUAL_MARGIN);
  }, [isShown]);
}

interface MarginFieldProps {
  side: Side;
  value: string;
  without: string;
  onChange(length: string): void;
}

function MarginField({ side, value, without, onChange }: MarginFieldProps) {
  return (
    <input
      class={`margin-${side}`}
      type="text"
      aria-label={`Margin: ${side}`}
      title={`Margin: ${side}. Without one, that of @page, or ${USUAL_MARGIN}`}
      placeholder={without}
      spellcheck={false}
      autocomplete="off"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  );
}

function Size() {
  const { options } = draft.value;
  const formats = FORMATS?.kind === 'choice' ? FORMATS.choices.map(({ text }) => text) : [];
  const isLandscape = options.landscape === true;
  return (
    <div class="paper-row">
      <Choice
        label="Size"
        value={String(options.format ?? USUAL)}
        choices={[USUAL, ...formats]}
        onChange={(format) => changeOption('format', format === USUAL ? undefined : format)}
      />
      <fieldset class="segmented" aria-label="Orientation">
        <button type="button" aria-pressed={!isLandscape} onClick={() => changeOption('landscape', undefined)}>
          Portrait
        </button>
        <button type="button" aria-pressed={isLandscape} onClick={() => changeOption('landscape', true)}>
          Landscape
        </button>
      </fieldset>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choices: string[];
  onChange(chosen: string): void;
}

function Choice({ label, value, choices, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}

function EdgeChoice({ edge, label }: { edge: Edge; label: string }) {
  const value = draft.value.options[edge];
  const preset = PRESETS.find(({ html }) => html === value);
  const own = useLast(preset ? undefined : value);
  const add = (name: keyof typeof FIELDS) => {
    const html = typeof value === 'string' ? value : line('');
    changeOption(edge, html.replace(/(<\/p>)?$/, ` ${span(name)}$1`));
  };
  return (
    <div class="paper-row">
      <Choice
        label={label}
        value={preset?.name ?? OWN}
        choices={[...(own === undefined ? [] : [OWN]), ...PRESETS.map(({ name }) => name)]}
        onChange={(chosen) => changeOption(edge, chosen === OWN ? own : PRESETS.find(({ name }) => name === chosen)?.html)}
      />
      <span class="chips">
        {Object.keys(FIELDS).map((name) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-label={`Add ${name} to the ${edge}`}
            disabled={isObject(value)}
            onClick={() => add(name as keyof typeof FIELDS)}
          >
            {name}
          </button>
        ))}
      </span>
    </div>
  );
}

/** The value that was there last, so that what comes back is what was there before. */
function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}

/** Toggles the profiles that the PDF is to conform to. */
function Kinds() {
  const { conformance } = draft.value.options;
  const profiles = [conformance].flat().filter((each): each is string => typeof each === 'string');
  const archive = profiles.find((each) => each.startsWith('PDF/A'));
  const accessible = profiles.find((each) => each.startsWith('PDF/UA'));
  const lastArchive = useLast(archive) ?? 'PDF/A-3b';
  const lastAccessible = useLast(accessible) ?? 'PDF/UA-1';
  const choose = (...chosen: Array<string | undefined>) => {
    const next = chosen.filter((each) => each !== undefined);
    changeOption('conformance', next.length > 1 ? next : next[0]);
  };
  return (
    <div class="paper-row">
      <Switch
        label="Archive (PDF/A)"
        checked={archive !== undefined}
        onChange={() => choose(archive ? undefined : lastArchive, accessible)}
      />
      <Switch
        label="Accessible (PDF/UA)"
        checked={accessible !== undefined}
        onChange={() => choose(archive, accessible ? undefined : lastAccessible)}
      />
    </div>
  );
}

function Texts() {
  const { password, watermark } = draft.value.options;
  const text = isObject(watermark) && typeof watermark.text === 'string' ? watermark.text : '';
  const last = useLast(isObject(watermark) ? watermark : undefined);
  const setText = (next: string) => changeOption('watermark', next ? { ...last, text: next } : undefined);
  return (
    <div class="paper-row">
      <label>
        <span>Password</span>
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          disabled={isObject(password)}
          placeholder={isObject(password) ? 'set below' : 'none'}
          value={typeof password === 'string' ? password : ''}
          onInput={({ currentTarget }) => changeOption('password', currentTarget.value || undefined)}
        />
      </label>
      <label>
        <span>Watermark</span>
        <input
          type="text"
          autocomplete="off"
          placeholder="none"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
    </div>
  );
}
