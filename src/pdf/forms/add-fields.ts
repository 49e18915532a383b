/**
 * Adds an interactive form (ISO 32000-1, 12.7): a printed PDF with a link in the place of each field, and the properties of the
 * fields, in; a PDF with form fields out. Each field gets an appearance stream and, in a tagged PDF, belongs to the structure
 * element of its control.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef, PdfString } from '@libpdf/core';
import type { ElementLocation, FormControl } from '../../tag-structure.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { numbers, roundedDecimal, textString } from '../objects/syntax.ts';
import type { StructureElement } from '../structure/structure-element.ts';
import { StructureTree } from '../structure/structure-tree.ts';
import { DrawnAppearances, fill } from './drawn-appearances.ts';
import { FieldNames } from './field-names.ts';
import { fieldNumber } from './field-places.ts';
import { fieldFlags, valueEntries } from './field-values.ts';
import { formDictionary } from './form-dictionary.ts';
import type { Forms } from './forms.ts';
import { appearanceKey, printedAppearances } from './printed-appearances.ts';
import { type Margins, textMargins } from './text-margins.ts';

/** The added fields, with the facts that conformance checks need. */
export interface AddedFields {
  /** The form XObjects that the widget annotations use as appearances. */
  shown: PdfRef[];
  /** Fields that have no name for assistive technology. */
  unnamed: ElementLocation[];
  /** The widget annotations by field number. */
  refs: Map<number, PdfRef>;
}

/** A field with its widget annotation, which replaces the link. */
interface Placed {
  field: FormControl;
  ref: PdfRef;
  page: PdfRef;
  /** Left, bottom, right, top. */
  rect: number[];
}

/** The flag Print (table 165). */
const ANNOTATION_FLAGS = 4;
/** The flags NoToggleToOff and Radio (table 226). */
const RADIO_FLAGS = 0xc000;
const MAX_DESCRIPTION = 1_000;
const QUADDING = { left: 0, center: 1, right: 2 };

/** `taken` lists names that the fields must not use. Throws if a field does not have exactly one link. */
export async function addFields(editable: EditablePdf, forms: Forms | undefined, taken: string[]): Promise<AddedFields> {
  if (!forms) return { shown: [], unnamed: [], refs: new Map() };
  const placed = locateFields(editable, forms);
  if (!placed.length) return { shown: [], unnamed: [], refs: new Map() };
  const printed = await printedAppearances(editable, forms);
  const keys = tagFields(editable, placed, forms.key);
  const form = new InteractiveForm(editable, forms, printed, new FieldNames(taken));
  for (const each of placed) form.add(each, keys.get(each.field.number));
  form.end();
  const unnamed = placed.flatMap(({ field }) => (field.name ? [] : [{ selector: field.selector, snippet: field.snippet }]));
  return { shown: form.shown, unnamed, refs: new Map(placed.map(({ field, ref }) => [field.number, ref])) };
}

/** Finds the link of each field. Returns the fields in document order. Throws if a field does not have exactly one link. */
function locateFields(editable: EditablePdf, { fields, key, scale }: Forms): Placed[] {
  const known = new Map(fields.map((field) => [field.number, field]));
  const placed = new Map<FormControl, Placed>();
  for (const { ref: page, page: dict } of editable.pages()) {
    for (const { ref, annotation } of editable.annotations(dict)) {
      const field = known.get(fieldNumber(editable.text(editable.dict(annotation, 'A'), 'URI'), key) ?? -1);
      if (!field) continue;
      if (placed.has(field)) throw new Error('a form field has more than one link');
      placed.set(field, { field, ref, page, rect: within(readRect(annotation), textMargins(field, scale)) });
    }
  }
  if (placed.size < fields.length) throw new Error('a form field has no link');
  return [...placed.values()].sort((one, other) => one.field.number - other.field.number);
}

/** Pages with annotations need a tab order in a tagged PDF (ISO 14289-1, 7.18.3). */
function setTabOrder(editable: EditablePdf): void {
  for (const { ref, page } of editable.pages()) if (page.has('Annots')) editable.update(ref, { Tabs: PdfName.of('S') });
}

function readRect(annotation: PdfDict): number[] {
  const corners = annotation.getArray('Rect')?.toArray() ?? [];
  return corners.map((corner) => (corner instanceof PdfNumber ? corner.value : 0));
}

function within([left = 0, bottom = 0, right = 0, top = 0]: number[], margins: Margins): number[] {
  const [above, after, below, before] = margins;
  return [left + before, bottom + below, right - after, top - above];
}

/** Attaches each field to the structure element of its control. Returns the keys in the parent tree by field number. */
function tagFields(editable: EditablePdf, placed: Placed[], key: string): Map<number, number> {
  if (!editable.catalog.has('StructTreeRoot')) return new Map();
  setTabOrder(editable);
  const tree = StructureTree.read(editable);
  const elements = labelledElements(tree, key);
  const keys = new Map<number, number>();
  for (const { field, ref, page } of placed) {
    const labelled = elements.get(field.number) ?? [];
    for (const element of labelled) describeElement(element, field);
    const [element] = labelled;
    if (element) keys.set(field.number, tree.attach(element, ref, page));
    else keys.set(field.number, tree.adopt('Form', ref, page)); // it is hidden from assistive technology
  }
  tree.write({});
  return keys;
}

function labelledElements(tree: StructureTree, key: string): Map<number, StructureElement[]> {
  const found = new Map<number, StructureElement[]>();
  for (const element of tree.elements()) {
    if (element.type !== 'Form') continue;
    const label = element.attributes.map((attribute) => attribute.get('Desc')).find((value) => value instanceof PdfString);
    const number = fieldNumber(label?.asString().replace(' ', ':') ?? '', key);
    if (number !== undefined) found.set(number, [...(found.get(number) ?? []), element]);
  }
  return found;
}

function describeElement(element: StructureElement, { name }: FormControl): void {
  const owner = PdfName.of('PrintField');
  const others = element.attributes.filter((attribute) => !attribute.has('Desc'));
  element.set('A', PdfArray.of(...others, PdfDict.of({ O: owner, Desc: textString(name) })));
  for (const inner of element.elements) if (inner.type === 'Form') inner.type = 'Span'; // a part of the control
}

/** Radio buttons that form one field. */
interface RadioGroup {
  ref: PdfRef;
  dict: PdfDict;
  kids: PdfRef[];
  buttons: FormControl[];
  states: Set<string>;
}

class InteractiveForm {
  readonly shown: PdfRef[] = [];
  readonly #editable: EditablePdf;
  readonly #forms: Forms;
  readonly #printed: ReadonlyMap<string, PdfRef>;
  readonly #names: FieldNames;
  readonly #drawn: DrawnAppearances;
  readonly #fields: PdfRef[] = [];
  #hasSignatures = false;
  /** Groups of radio buttons by form and name. */
  readonly #groups = new Map<string, RadioGroup>();

  constructor(editable: EditablePdf, forms: Forms, printed: ReadonlyMap<string, PdfRef>, names: FieldNames) {
    this.#editable = editable;
    this.#forms = forms;
    this.#printed = printed;
    this.#names = names;
    this.#drawn = new DrawnAppearances(editable);
  }

  add(placed: Placed, key: number | undefined): void {
    const { field, ref, page, rect } = placed;
    const entries: Record<string, PdfObject> = {
      ...{ Type: PdfName.of('Annot'), Subtype: PdfName.of('Widget'), F: PdfNumber.of(ANNOTATION_FLAGS), P: page },
      ...{ Rect: numbers(...rect), BS: PdfDict.of({ Type: PdfName.of('Border'), W: PdfNumber.of(0) }) },
      ...(key !== undefined && { StructParent: PdfNumber.of(key) }),
      ...(field.name && { TU: textString(field.name), Contents: textString(field.name) }),
    };
    if (field.kind === 'radio') this.#addRadio(placed, entries);
    else {
      this.#fields.push(ref);
      const own = { T: textString(this.#names.next(field.key)), ...this.#toEntries(placed) };
      this.#editable.change(ref, PdfDict.of({ ...entries, ...own }));
    }
  }

  #toEntries(placed: Placed): Record<string, PdfObject> {
    const { field } = placed;
    if (field.kind === 'signature') this.#hasSignatures = true;
    if (field.kind === 'signature') return { FT: PdfName.of('Sig'), AP: PdfDict.of({ N: this.#showText(placed) }) };
    if (field.kind === 'checkbox') return this.#checkbox(placed);
    const size = roundedDecimal(field.style.fontSize * this.#forms.scale);
    return {
      ...valueEntries(field),
      DA: textString(`/Helv ${size} Tf ${fill(field.style.color)}`),
      Q: PdfNumber.of(QUADDING[field.style.align]),
      AP: PdfDict.of({ N: this.#showText(placed) }),
    };
  }

  /** The printed appearance of a field, or an empty one. */
  #showText({ field, rect }: Placed): PdfRef {
    const [width, height] = rectSize(rect);
    return this.#show(this.#printed.get(appearanceKey(field.number)) ?? this.#drawn.empty(width, height));
  }

  #checkbox(placed: Placed): Record<string, PdfObject> {
    const { field } = placed;
    const on = isStateName(field.value) ? field.value : 'Yes';
    const state = PdfName.of(field.isChecked ? on : 'Off');
    const own = { FT: PdfName.of('Btn'), Ff: PdfNumber.of(fieldFlags(field)), V: state, AS: state };
    return { ...own, ...(on !== field.value && exportValues([field])), ...this.#stateEntries(placed, on) };
  }

  /** Adds a radio button as a kid of the field of its group. */
  #addRadio(placed: Placed, entries: Record<string, PdfObject>): void {
    const { field, ref } = placed;
    const group = this.#findGroup(field);
    group.buttons.push(field);
    group.kids.push(ref);
    const on = freeState(field.value, group.states, group.kids.length);
    group.states.add(on);
    const state = PdfName.of(field.isChecked ? on : 'Off');
    if (field.isChecked) group.dict.set('V', state);
    const own = { Parent: group.ref, AS: state, ...this.#stateEntries(placed, on) };
    this.#editable.change(ref, PdfDict.of({ ...entries, ...own }));
  }

  #findGroup(field: FormControl): RadioGroup {
    const id = field.set ? `${field.form} ${field.set}` : `alone ${field.number}`;
    const known = this.#groups.get(id);
    if (known) return known;
    const T = textString(this.#names.next(field.key));
    const dict = PdfDict.of({ FT: PdfName.of('Btn'), T, V: PdfName.of('Off') });
    const group = { ref: this.#editable.add(dict), dict, kids: [], buttons: [], states: new Set<string>() };
    this.#groups.set(id, group);
    this.#fields.push(group.ref);
    return group;
  }

  #stateEntries({ field, rect }: Placed, on: string): Record<string, PdfObject> {
    const [width, height] = rectSize(rect);
    const { color } = field.style;
    const chosen = () =>
      field.kind === 'radio' ? this.#drawn.dot(width, height, color) : this.#drawn.tick(width, height, color);
    const states = {
      [on]: this.#show(this.#printed.get(appearanceKey(field.number, 'on')) ?? chosen()),
      Off: this.#show(this.#printed.get(appearanceKey(field.number, 'off')) ?? this.#drawn.empty(width, height)),
    };
    return {
      DA: textString(`/ZaDb 0 Tf ${fill(color)}`),
      MK: PdfDict.of({ CA: textString(field.kind === 'radio' ? 'l' : '4') }),
      AP: PdfDict.of({ N: PdfDict.of(states) }),
    };
  }

  #show(form: PdfRef): PdfRef {
    this.shown.push(form);
    return form;
  }

  end(): void {
    for (const { ref, dict, kids, buttons, states } of this.#groups.values()) {
      const all = {
        isReadOnly: buttons.every(({ isReadOnly }) => isReadOnly),
        isRequired: buttons.some(({ isRequired }) => isRequired),
      };
      dict.set('Ff', PdfNumber.of(fieldFlags({ ...(buttons[0] as FormControl), ...all }) | RADIO_FLAGS));
      dict.set('Kids', PdfArray.of(...kids));
      const values = new Set(buttons.map(({ value }) => value));
      if (values.size < buttons.length || ![...values].every((value) => states.has(value)))
        dict.set('Opt', exportValues(buttons).Opt);
      const group = buttons.find((button) => button.group)?.group;
      const names = buttons.map(({ name }) => name).filter(Boolean);
      const description = group || names.join(', ').slice(0, MAX_DESCRIPTION);
      if (description) dict.set('TU', textString(description));
      this.#editable.change(ref, dict);
    }
    const form = formDictionary(this.#fields, this.#hasSignatures, (font) => this.#editable.add(font));
    this.#editable.catalog.set('AcroForm', form);
  }
}

function rectSize([left = 0, bottom = 0, right = 0, top = 0]: number[]): [width: number, height: number] {
  return [Number(roundedDecimal(right - left)), Number(roundedDecimal(top - bottom))];
}

/** Whether a value can be the name of the on state. `Off` is the name of the other state. */
function isStateName(value: string): boolean {
  return /^[\w-]{1,60}$/.test(value) && value !== 'Off';
}

/** The state name of a radio button: its value, or the next free name `Choice1`, `Choice2` and so on. */
function freeState(value: string, taken: ReadonlySet<string>, first: number): string {
  if (isStateName(value) && !taken.has(value)) return value;
  let number = first;
  while (taken.has(`Choice${number}`)) number++;
  return `Choice${number}`;
}

/** The values of buttons whose state names differ from their values, in the order of the buttons (ISO 32000-1, 12.7.4.2.3). */
function exportValues(buttons: FormControl[]): { Opt: PdfArray } {
  return { Opt: PdfArray.of(...buttons.map(({ value }) => textString(value))) };
}
