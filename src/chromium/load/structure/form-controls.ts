/**
 * Reads the form fields of a document before it is printed, in an isolated world, and prepares them: the print shows the boxes of
 * the controls without their content. Links to `KEY:0` and so on are placed over them and give their positions in the PDF.
 * Controls that cannot become fields are restored and printed as they are.
 */

import { type Static, Type } from 'typebox';
import { ServiceError } from '../../../errors.ts';
import type { ElementLocation, FieldKind, FieldOption, FieldStyle, FormControl } from '../../../tag-structure.ts';
import { DevToolsError, type Session, TOO_LARGE } from '../../devtools/connection.ts';
import { shape } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';
import { MAX_TEXT, NAMING_FUNCTIONS, readInOwnWorld } from './document-structure.ts';
import { FIELD_HIDING_FUNCTIONS, type PreparedControl } from './field-hiding.ts';
import { FIELD_STYLE_FUNCTIONS } from './field-styles.ts';
import { ROOT_FUNCTIONS } from './reading-order.ts';
import { type appearanceOf as AppearanceOf, type looksSame as LooksSame, VISIBLE_CHANGE_FUNCTIONS } from './visible-changes.ts';

/** The fields of a document, and the controls that are printed as they are. */
export interface PreparedFields {
  fields: FormControl[];
  /**
   * Controls that are rotated, scaled or written vertically or in shadow trees, and the other radio buttons of their sets; all of them
   * if the document would look different.
   */
  printed: ElementLocation[];
}

export interface FieldLimits {
  fields: number;
  options: number;
  characters: number;
}

/** Limits per document. A value with this number of characters fits into a string of PDF/A (ISO 19005-2, 6.1.13). */
const LIMITS: FieldLimits = { fields: 2_000, options: 50_000, characters: 16_000 };

type Exceeded = { exceeded: keyof FieldLimits };

/** Throws `resource_limit` and `print_failed`. The `key` must not occur anywhere else in the document. */
export async function prepareFields(session: Session, frameId: string, key: string, step: Step): Promise<PreparedFields> {
  const values = [LIMITS, MAX_TEXT, key].map((value) => JSON.stringify(value));
  const expression = `(() => { const SIBLINGS = new Map(); const OBSTACLES = new Map(); ${FUNCTIONS.join('\n')}
    return preparedFields(${values}) })()`;
  const prepared = await readInOwnWorld(session, frameId, { expression }, PREPARED, step).catch((error: unknown) => {
    throw error instanceof DevToolsError ? untold(error) : error;
  });
  if (!prepared) throw untold();
  if ('exceeded' in prepared) throw tooMuch(prepared);
  const { packed, styles: texts, printed } = prepared;
  return { fields: unpack(JSON.parse(packed) as FormControl[], texts), printed };
}

/** Fields as JSON, with indexes in place of the texts of their styles, most of which are the same. */
const PackedFields = Type.Object({
  packed: Type.String(),
  styles: Type.Array(Type.String()),
  printed: Type.Array(Type.Object({ selector: Type.String(), snippet: Type.String() })),
});
type PackedFields = Static<typeof PackedFields>;
const PREPARED = shape(
  Type.Union([PackedFields, Type.Object({ exceeded: Type.Enum(Object.keys(LIMITS) as Array<keyof FieldLimits>) })]),
);
const BOOLEAN = shape(Type.Boolean());

/** Whether a property of a field is CSS. */
function isStyleText(name: string): boolean {
  return /^(?:css|box|before|after)$/.test(name);
}

function pack(fields: FormControl[]): Omit<PackedFields, 'printed'> {
  const styles = new Map<string, number>();
  const indexOf = (text: string) => {
    if (!styles.has(text)) styles.set(text, styles.size);
    return styles.get(text);
  };
  const packed = JSON.stringify(fields, (name, item) => (isStyleText(name) ? indexOf(item) : item));
  return { packed, styles: [...styles.keys()] };
}

/** Undoes `pack`. A reviver of `JSON.parse` would take ten times as long, because it is called for every value. */
function unpack(fields: FormControl[], texts: string[]): FormControl[] {
  for (const { style, options, looks } of fields) {
    const styled = [style, ...options, looks?.on, looks?.off] as Array<Record<string, unknown> | undefined>;
    for (const each of styled) for (const name in each) if (isStyleText(name)) each[name] = texts[each[name] as number];
  }
  return fields;
}

/** Restores some of the prepared fields. Throws `print_failed` if scripts have changed any of the others in the meantime. */
export async function restoreFields(session: Session, frameId: string, numbers: number[], step: Step): Promise<void> {
  const expression = `window.platenFields?.(${JSON.stringify(numbers)})`;
  if (await readInOwnWorld(session, frameId, { expression }, BOOLEAN, step)) return;
  const detail = '{option}: scripts of the document changed its form fields while it was printed';
  throw new ServiceError('print_failed', detail, { about: 'form_fields' });
}

const EXCEEDED: Record<keyof FieldLimits, string> = {
  fields: `the document has more than ${LIMITS.fields} form fields`,
  options: `the form fields of the document have more than ${LIMITS.options} options`,
  characters: `a text of a form field has more than ${LIMITS.characters} characters`,
};

function tooMuch({ exceeded }: Exceeded): ServiceError {
  return new ServiceError('resource_limit', `{option}: ${EXCEEDED[exceeded]}`, {
    members: { limit: LIMITS[exceeded] },
    about: 'form_fields',
  });
}

function untold(error?: DevToolsError): ServiceError {
  if (error?.reason === TOO_LARGE)
    return new ServiceError('resource_limit', '{option}: the form fields of the document have more text than can be read', {
      about: 'form_fields',
    });
  return new ServiceError('print_failed', '{option}: the form fields of the document could not be read', {
    about: 'form_fields',
    cause: error,
  });
}

const FUNCTIONS = [
  ...NAMING_FUNCTIONS,
  ...FIELD_HIDING_FUNCTIONS,
  ...FIELD_STYLE_FUNCTIONS,
  ...VISIBLE_CHANGE_FUNCTIONS,
  preparedFields,
  pack,
  isStyleText,
  prepareUnchanged,
  watch,
  contentOf,
  controlsOf,
  controlsIn,
  ...ROOT_FUNCTIONS,
  kindOf,
  isSeen,
  isUsable,
  isCutOff,
  setOf,
  namesIn,
  obstacleOf,
  ownObstacle,
  firstExceeded,
  fieldOf,
  typedValue,
  groupName,
  textValue,
  shownText,
  shownTime,
  isDate,
  showsPlaceholder,
  stateOf,
  optionsOf,
  offeredOptions,
];

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
type MaxCharacters = typeof MAX_TEXT;
declare const document: PageElement;
declare const window: PageElement;
declare const getComputedStyle: (element: PageElement, pseudo?: string) => PageElement;
declare const builtIn: (node: PageElement) => PageElement;
declare const placeOf: (element: PageElement, max: MaxCharacters) => { selector: string; snippet: string };
declare const nameOf: (element: PageElement, max: MaxCharacters) => string;
declare const styleOf: (element: PageElement, pseudo: string | null) => FieldStyle;
declare const optionStyle: (option: PageElement) => string;
declare const drawnScale: (style: PageElement) => number;
declare const isShown: (element: PageElement) => boolean;
type Obstacle = '' | 'moved' | 'clipped';
/** The obstacle that keeps an element, or one of its ancestors, from becoming a field. */
declare const OBSTACLES: Map<PageElement, Obstacle>;
declare const hideField: (control: PageElement, field: FormControl, label: string) => PreparedControl;
declare const addStyles: () => void;
declare const addLinks: (all: PreparedControl[], key: string) => PageElement;
declare const appearanceOf: typeof AppearanceOf;
declare const looksSame: typeof LooksSame;
declare const rootsOf: (root: PageElement) => PageElement[];
declare const isAsPrepared: (prepared: PreparedControl) => boolean;
declare const restore: (prepared: PreparedControl) => void;

/** Reads all controls before it changes any, because the style of one can depend on another. */
function preparedFields(limits: FieldLimits, max: MaxCharacters, key: string): PackedFields | Exceeded {
  const { controls, others } = controlsOf();
  if (controls.length > limits.fields) return { exceeded: 'fields' };
  const forms = [...builtIn(document).querySelectorAll('form')];
  const fields = controls.map((control, number) => fieldOf(control, number, forms, max));
  const exceeded = firstExceeded(fields, limits);
  if (exceeded) return { exceeded };
  const printed = (list: PageElement[]) => list.slice(0, limits.fields).map((control) => placeOf(control, max));
  const hide = () => fields.map((field, number) => hideField(controls[number], field, `${key} ${number}`));
  const isPrepared = !controls.length || prepareUnchanged(controls, hide, key);
  return isPrepared ? { ...pack(fields), printed: printed(others) } : { ...pack([]), printed: printed([...controls, ...others]) };
}

/**
 * Returns false, and restores the controls, if anything but their content then looks different, or if there is too much to
 * compare.
 */
function prepareUnchanged(controls: PageElement[], hide: () => PreparedControl[], key: string): boolean {
  const roots = rootsOf(document);
  const own = new Set(
    controls.flatMap((control) => [control, ...(control.localName === 'select' ? control.querySelectorAll('*') : [])]),
  );
  const before = appearanceOf(roots, own);
  if (!before) return false;
  addStyles();
  const prepared = hide();
  const holder = addLinks(prepared, key);
  const isSame = looksSame(before, appearanceOf(roots, own, holder));
  if (isSame) watch(prepared);
  else {
    for (const each of prepared) restore(each);
    holder.remove();
  }
  return isSame;
}

/**
 * Detects changes by scripts, which run until the print: compares the controls in the `beforeprint` event and again afterwards.
 */
function watch(prepared: PreparedControl[]): void {
  const left = new Set<number>();
  let isSame = true;
  const look = () => {
    isSame &&= prepared.every((each, number) => left.has(number) || isAsPrepared(each));
  };
  window.addEventListener('beforeprint', look);
  window.platenFields = (numbers: number[]) => {
    look();
    for (const number of numbers) {
      left.add(number);
      restore(prepared[number] as PreparedControl);
    }
    return isSame;
  };
}

/** The content of a control that its field shows, as text to compare. */
function contentOf(element: PageElement): string {
  const options = [...(element.localName === 'select' ? element.options : [])];
  const chosen = options.flatMap(({ selected }, index) => (selected ? [index] : []));
  return JSON.stringify([
    kindOf(element),
    element.value,
    element.checked,
    chosen,
    options.map(({ value, label }) => [value, label]),
  ]);
}

/**
 * Divides the visible controls into those that can become fields and others, which are rotated, scaled or in shadow trees. No link of
 * the document can be placed over a control in a shadow tree. A set of radio buttons belongs to one group as a whole.
 */
function controlsOf(): Record<'controls' | 'others', PageElement[]> {
  const [seen = [], ...inShadows] = rootsOf(document).map(controlsIn);
  const usable = new Set(seen.filter(isUsable));
  const broken = new Map<PageElement, Set<string>>();
  for (const element of seen) if (!usable.has(element)) namesIn(broken, element).add(setOf(element));
  const isWhole = (element: PageElement) => !setOf(element) || !namesIn(broken, element).has(setOf(element));
  const controls = seen.filter((element) => usable.has(element) && isWhole(element));
  const taken = new Set(controls);
  return { controls, others: [...seen.filter((element) => !taken.has(element)), ...inShadows.flat()] };
}

/** The visible controls of a document or a shadow tree. */
function controlsIn(root: PageElement): PageElement[] {
  const found = [...builtIn(root).querySelectorAll('input, textarea, select, [data-signature-field]:not(form)')];
  return found.filter((element) => kindOf(element) !== '' && isSeen(element));
}

/** The names of radio button sets in the form of an element; changes to the returned set are kept. */
function namesIn(sets: Map<PageElement, Set<string>>, { form }: PageElement): Set<string> {
  const names = sets.get(form) ?? new Set();
  sets.set(form, names);
  return names;
}

/** The name of the set of a radio button, within its form; empty for other controls, and for a radio button without a name. */
function setOf(element: PageElement): string {
  return element.type === 'radio' ? (element.getAttribute('name') ?? '') : '';
}

/** The kind of field; empty for controls that are printed as they are: buttons, sliders, colours and files. */
function kindOf(element: PageElement): FieldKind | '' {
  const { localName: name, type, multiple, size } = element;
  if (element.hasAttribute('data-signature-field')) return 'signature';
  if (name === 'textarea') return 'text';
  if (name === 'select') return multiple || size > 1 ? 'list' : 'combo';
  if (type === 'checkbox' || type === 'radio') return type;
  if (/^(?:hidden|submit|reset|button|image|file|color|range)$/.test(type)) return '';
  return builtIn(element).list ? 'combo' : 'text';
}

/** Whether the control is visible. The content of hidden controls must not get into the PDF. */
function isSeen(element: PageElement): boolean {
  const { width, height, right, bottom } = builtIn(element).getBoundingClientRect();
  const { scrollLeft, scrollTop } = builtIn(document).documentElement;
  if (width < 3 || height < 3 || right + scrollLeft <= 0 || bottom + scrollTop <= 0) return false;
  if (!isShown(element)) return false;
  return obstacleOf(element) !== 'clipped';
}

/** Whether the text of the control is horizontal, and neither rotated, scaled nor cut off. */
function isUsable(element: PageElement): boolean {
  return obstacleOf(element) === '' && getComputedStyle(element).writingMode === 'horizontal-tb' && !isCutOff(element);
}

/** Whether a box around the control cuts off a quarter of it. Less is often only padding. */
function isCutOff(element: PageElement): boolean {
  const own = builtIn(element).getBoundingClientRect();
  let { position } = getComputedStyle(element);
  for (let box = builtIn(element).parentElement; box && box.localName !== 'body'; box = builtIn(box).parentElement) {
    const style = getComputedStyle(box);
    if (position === 'absolute' && style.position === 'static') continue; // it is laid out in another box
    position = style.position;
    if (style.overflow === 'visible' || /^(?:inline|contents)$/.test(style.display)) continue;
    const around = builtIn(box).getBoundingClientRect();
    const across = Math.max(around.left - own.left, own.right - around.right);
    const down = Math.max(around.top - own.top, own.bottom - around.bottom);
    if (across > own.width / 4 || down > own.height / 4) return true;
  }
  return false;
}

/** The obstacle of the element or one of its ancestors. Each ancestor is inspected only once. */
function obstacleOf(element: PageElement): Obstacle {
  const known = OBSTACLES.get(element);
  if (known !== undefined) return known;
  const parent = builtIn(element).parentElement;
  const obstacles = [ownObstacle(element, parent === null), parent ? obstacleOf(parent) : ''];
  const obstacle = obstacles.includes('clipped') ? 'clipped' : obstacles.includes('moved') ? 'moved' : '';
  OBSTACLES.set(element, obstacle);
  return obstacle;
}

/** Whether the element hides its content, or else rotates, scales, mirrors or shapes it. A box may be scaled. */
function ownObstacle(element: PageElement, isRoot: boolean): Obstacle {
  const style = getComputedStyle(element);
  const isHiding = style.clip !== 'auto' && /^(?:absolute|fixed)$/.test(style.position);
  if (isHiding || /^inset\((?:50|100)%\)$/.test(style.clipPath)) return 'clipped';
  const isNone = (name: string) => /^(?:none|)$/.test(style.getPropertyValue(name));
  const scale = drawnScale(style);
  const isBox = element.localName === 'input' && /^(?:checkbox|radio)$/.test(element.type);
  const isLevel = (scale === 1 || (isBox && scale > 0)) && (style.zoom || '1') === '1';
  const shapes = ['rotate', 'perspective', 'offset-path', 'clip-path'];
  const moves = isRoot ? ['transform', 'translate'] : []; // the root moves the links as well
  return isLevel && [...shapes, ...moves].every(isNone) ? '' : 'moved';
}

function firstExceeded(fields: FormControl[], limits: FieldLimits): keyof FieldLimits | undefined {
  const options = fields.flatMap((field) => field.options);
  if (options.length > limits.options) return 'options';
  const texts = [...fields.flatMap(({ value, key }) => [value, key]), ...options.flatMap(({ value, label }) => [value, label])];
  return texts.some(({ length }) => length > limits.characters) ? 'characters' : undefined;
}

function fieldOf(element: PageElement, number: number, forms: PageElement[], max: MaxCharacters): FormControl {
  const kind = kindOf(element) as FieldKind;
  const place = element.getAttribute('data-signature-field') ?? '';
  return {
    ...placeOf(element, max),
    number,
    name: /^(?:input|select|textarea)$/.test(element.localName) ? nameOf(element, max) : nameOf(element, max) || place,
    kind,
    key: place || element.getAttribute('name') || element.id || '',
    set: kind === 'radio' ? setOf(element) : '',
    form: forms.indexOf(element.form),
    group: kind === 'radio' ? groupName(element, max) : '',
    value: textValue(element, kind),
    shown: shownText(element, kind),
    options: optionsOf(element, kind),
    maxLength: kind === 'text' && element.maxLength >= element.value.length ? element.maxLength : 0,
    ...stateOf(element, kind),
    style: styleOf(element, showsPlaceholder(element, kind) ? '::placeholder' : null),
    looks: undefined,
    typed: typedValue(element),
  };
}

function typedValue(element: PageElement): FormControl['typed'] {
  const { type, value, step } = element;
  return isDate(element) || (type === 'number' && value) ? { type, value, step } : undefined;
}

function stateOf(element: PageElement, kind: FieldKind) {
  const { localName, type } = element;
  return {
    isChecked: element.checked === true,
    isReadOnly: (element.readOnly === true && !/^(?:checkbox|radio)$/.test(type)) || element.matches(':disabled'),
    isRequired: element.required === true,
    isPassword: type === 'password',
    isMultiLine: localName === 'textarea',
    isMultiple: localName === 'select' && element.multiple === true,
    isEditable: localName === 'input' && kind === 'combo',
  };
}

function groupName(element: PageElement, max: MaxCharacters): string {
  const group = builtIn(element).closest('fieldset, [role="radiogroup"]');
  const legend = group?.localName === 'fieldset' ? group.querySelector(':scope > legend') : null;
  return legend ? nameOf(legend, max) : group?.hasAttribute('aria-label') || group?.title ? nameOf(group, max) : '';
}

/** The text of a control. Returns an empty text for passwords. */
function textValue(element: PageElement, kind: FieldKind): string {
  if (element.type === 'password' || kind === 'signature' || kind === 'list') return '';
  if (isDate(element)) return shownTime(element);
  if (element.localName !== 'select') return element.value ?? '';
  return optionsOf(element, kind).find(({ isSelected }) => isSelected)?.value ?? '';
}

/** The text that the control shows. PDF viewers would replace any other format as soon as the field is edited. */
function shownTime(element: PageElement): string {
  const { type, value, valueAsNumber, step } = element;
  const [, year, week] = /^(\d+)-W(\d+)$/.exec(value) ?? [];
  if (week) return `Week ${week}, ${year}`;
  const at = type === 'datetime-local' ? new Date(valueAsNumber) : element.valueAsDate;
  if (!value || !at) return value;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const goesBelow = (seconds: number) => valueAsNumber % (seconds * 1_000) !== 0 || (Number(step) || 60) % seconds !== 0;
  const fraction = goesBelow(1) && { fractionalSecondDigits: 3 };
  const time = { hour: '2-digit', minute: '2-digit', ...(goesBelow(60) && { second: '2-digit', ...fraction }) } as const;
  const shown = { date: day, month: { year: 'numeric', month: 'long' }, time, 'datetime-local': { ...day, ...time } }[
    type as 'date'
  ];
  return new Intl.DateTimeFormat(undefined, { ...shown, timeZone: 'UTC' }).format(at).replace(/\u202f/g, ' ');
}

function isDate({ localName, type }: PageElement): boolean {
  return localName === 'input' && /^(?:date|time|datetime-local|month|week)$/.test(type);
}

function showsPlaceholder(element: PageElement, kind: FieldKind): boolean {
  return (
    /^(?:input|textarea)$/.test(element.localName) &&
    /^(?:text|combo)$/.test(kind) &&
    element.value === '' &&
    !!element.placeholder
  );
}

function shownText(element: PageElement, kind: FieldKind): string {
  if (showsPlaceholder(element, kind)) return element.placeholder;
  return element.localName === 'select' && kind === 'combo'
    ? (element.selectedOptions[0]?.label ?? '')
    : textValue(element, kind);
}

/** The options of a select element, or the suggestions of an input. Options with equal values are identified by their labels. */
function optionsOf(element: PageElement, kind: FieldKind): FieldOption[] {
  if (element.localName === 'select') {
    const all = offeredOptions(element, kind);
    const areUnlike = new Set(all.map(({ value }) => value)).size === all.length;
    return all.map((option) => ({
      value: areUnlike ? option.value : option.label,
      label: option.label,
      isSelected: option.selected,
      group: builtIn(option).parentElement?.label ?? '',
      css: kind === 'list' ? optionStyle(option) : '',
    }));
  }
  if (kind !== 'combo') return [];
  return [...builtIn(element).list.options].map(({ value }) => ({
    value,
    label: value,
    isSelected: value === element.value,
    group: '',
    css: '',
  }));
}

/**
 * The options without those that the document hides, and for a drop-down list without those that are disabled, unless they are
 * selected.
 */
function offeredOptions(element: PageElement, kind: FieldKind): PageElement[] {
  const isHidden = (option: PageElement) => option.closest('[hidden]') || getComputedStyle(option).display === 'none';
  if (kind !== 'combo') return [...element.options].filter((option) => !isHidden(option));
  return [...element.options].filter((option) => option.selected || !(isHidden(option) || option.matches(':disabled')));
}
