/**
 * Prepares the controls of a document to become form fields of a PDF: hides their content, and places links over them. Every change
 * is recorded, so that a control can be restored. The functions run in the page, sent as text.
 */
import type { FormControl } from '../../../tag-structure.ts';

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const document: PageElement;
declare const getComputedStyle: (element: PageElement, pseudo?: string) => PageElement;
declare const Document: { prototype: object };
declare const CSSStyleSheet: new () => PageElement;
declare const builtIn: (node: PageElement) => PageElement;
declare const contentOf: (element: PageElement) => string;
declare const boxLooks: (prepared: PreparedControl) => FormControl['looks'];

/** A control that is prepared for printing. */
export interface PreparedControl {
  control: PageElement;
  link: PageElement;
  /** Its content during the print. */
  content: string;
  /** The original value of a control with several lines. */
  text: string | undefined;
  /** The original values of changed attributes, by element and name. */
  before: Map<PageElement, Map<string, string | null>>;
  /** The properties in its style attribute that hide its content. */
  hiding: Record<string, string>;
}

export const FIELD_HIDING_FUNCTIONS = [
  hideField,
  taggedRole,
  hideContent,
  hideBox,
  bareBox,
  sizeOf,
  hideMark,
  emptyLook,
  showBox,
  setAttribute,
  setStyle,
  addStyles,
  addLinks,
  isAsPrepared,
  restore,
];

/** `label` is the accessible name by which the tag of the control is found in the PDF. */
function hideField(control: PageElement, field: FormControl, label: string): PreparedControl {
  const { kind, isMultiLine, isChecked } = field;
  const content = contentOf(control);
  const prepared: PreparedControl = { control, link: undefined, content, text: undefined, before: new Map(), hiding: {} };
  const isBox = kind === 'checkbox' || kind === 'radio';
  setAttribute(prepared, control, 'data-platen-field', '');
  if (isBox) field.looks = boxLooks(prepared);
  if (field.looks && !field.looks.isPrinted) hideBox(prepared);
  else if (isChecked && !field.looks) hideMark(prepared);
  if (!isBox && (kind !== 'signature' || control.localName === 'input')) hideContent(prepared, kind === 'list', isMultiLine);
  showBox(prepared);
  setAttribute(prepared, control, 'role', taggedRole(control, kind));
  setAttribute(prepared, control, 'aria-label', label);
  setAttribute(prepared, control, 'aria-labelledby', null);
  return prepared;
}

/** A role with which Chromium tags the control, as it does not tag some, such as lists. */
function taggedRole(control: PageElement, kind: FormControl['kind']): string {
  if (kind === 'checkbox' && control.getAttribute('role') === 'switch') return 'switch';
  return kind === 'checkbox' || kind === 'radio' ? kind : 'textbox';
}

/** Moves the text so far that Chromium does not print it. Emptying the control could change its styles and its validity. */
function hideContent(prepared: PreparedControl, isList: boolean, isMultiLine: boolean): void {
  const { control } = prepared;
  if (isList) {
    for (const option of control.querySelectorAll('option, optgroup')) setStyle(prepared, option, { visibility: 'hidden' });
    return;
  }
  if (getComputedStyle(control).fieldSizing === 'content') setStyle(prepared, control, sizeOf(control));
  prepared.hiding = { 'text-indent': '-16000000px', 'text-align': 'start' }; // text at the other end would not be moved
  setStyle(prepared, control, prepared.hiding);
  if (!isMultiLine || control.value === '') return;
  prepared.text = control.value;
  const overflows = control.scrollHeight > control.clientHeight || control.scrollWidth > control.clientWidth;
  // Only the first line is moved, so the value becomes a single invisible character. It overflows as before, because borders then look different.
  control.value = `\u200b${overflows ? '\n'.repeat(control.scrollHeight) : ''}`;
  prepared.content = contentOf(control);
}

/** Hides a box. It is shown by its field, whose appearances could not cover another box exactly. */
function hideBox(prepared: PreparedControl): void {
  const { control } = prepared;
  const { appearance, boxShadow } = getComputedStyle(control);
  setStyle(prepared, control, {
    ...(appearance === 'none' ? { 'border-color': 'transparent' } : bareBox(control)),
    ...(boxShadow.includes('inset') && { 'box-shadow': 'none' }),
    background: 'rgb(255 255 255 / 0.004)',
  });
  setAttribute(prepared, control, 'data-platen-marked', '');
}

/** The style of a native box without its appearance, in its size and place: it may be inline, and its margin is above the baseline. */
function bareBox(control: PageElement): Record<string, string> {
  const { display, verticalAlign, marginBottom } = getComputedStyle(control);
  const isOnBaseline = !/^(?:top|bottom|middle|text-top|text-bottom|sub|super)$/.test(verticalAlign);
  const raised = verticalAlign === 'baseline' ? '0px' : verticalAlign;
  return {
    ...{ appearance: 'none', display, 'box-sizing': 'border-box', border: '0', 'border-radius': '0', padding: '0' },
    ...sizeOf(control),
    ...(isOnBaseline && { 'vertical-align': `calc(${raised} - ${marginBottom})` }),
  };
}

/** The size of a control. Percentages stay what they are, because the column of a table may depend on its content. */
function sizeOf(control: PageElement): { width: string; height: string } {
  const used = getComputedStyle(control);
  const side = (name: 'width' | 'height') => {
    const stated = String(control.computedStyleMap().get(name));
    return stated.includes('%') ? stated : used[name];
  };
  return { width: side('width'), height: side('height') };
}

/** Makes the box of a checked control with images of its own look unchecked. */
function hideMark(prepared: PreparedControl): void {
  setStyle(prepared, prepared.control, emptyLook(prepared));
  setAttribute(prepared, prepared.control, 'data-platen-marked', '');
}

/** Returns the style of an unchecked control that has the document's own design. */
function emptyLook(prepared: PreparedControl): Record<string, string> {
  const { control } = prepared;
  control.checked = false;
  const style = getComputedStyle(control);
  const names = ['background-color', 'background-image', 'border-color', 'box-shadow', 'color', 'outline-style'];
  const look = Object.fromEntries(names.map((name): [string, string] => [name, style.getPropertyValue(name)]));
  control.checked = true;
  return look;
}

/** Gives an invisible control an almost transparent background, because Chromium does not tag elements that paint nothing. */
function showBox(prepared: PreparedControl): void {
  const style = getComputedStyle(prepared.control);
  const isPlain = style.backgroundColor === 'rgba(0, 0, 0, 0)' && style.backgroundImage === 'none';
  const isBorderless = ['top', 'right', 'bottom', 'left'].every(
    (side) => Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) === 0,
  );
  if (isPlain && isBorderless) setStyle(prepared, prepared.control, { 'background-color': 'rgb(255 255 255 / 0.004)' });
}

/** Removes the attribute if the value is null. */
function setAttribute({ before }: PreparedControl, element: PageElement, name: string, value: string | null): void {
  const known = before.get(element) ?? new Map<string, string | null>();
  before.set(element, known);
  if (!known.has(name)) known.set(name, element.getAttribute(name));
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

function setStyle(prepared: PreparedControl, element: PageElement, properties: Record<string, string>): void {
  setAttribute(prepared, element, 'style', element.getAttribute('style'));
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value, 'important');
}

function addStyles(): void {
  const sheet = new CSSStyleSheet();
  const hidden = ['[data-platen-field]::placeholder'];
  const still = '[data-platen-field]::before, [data-platen-field]::after { transition: none !important }';
  const marks = ['[data-platen-marked]::before', '[data-platen-marked]::after'];
  const link = 'a[data-platen-link][data-platen-link][data-platen-link]'; // more specific than most rules for links
  const rules = [...hidden, ...marks].map((selector) => `${selector} { visibility: hidden !important }`);
  sheet.replaceSync(`${rules.join(' ')} ${still} ${link}::before, ${link}::after { content: none !important }`);
  const adopted = [...builtIn(document).adoptedStyleSheets, sheet];
  Reflect.set(Document.prototype, 'adoptedStyleSheets', adopted, document); // an element may have this name
}

/** Appends the links after the body, where they affect neither the layout nor most selectors. Returns the element that holds them. */
function addLinks(all: PreparedControl[], key: string): PageElement {
  const html = 'http://www.w3.org/1999/xhtml';
  const holder = builtIn(document).createElementNS(html, 'div');
  holder.setAttribute('aria-hidden', 'true');
  holder.style.setProperty('all', 'initial', 'important');
  for (const [number, prepared] of all.entries()) {
    const name = `--${key}-${number}`;
    const own = getComputedStyle(prepared.control).getPropertyValue('anchor-name');
    setStyle(prepared, prepared.control, { 'anchor-name': own && own !== 'none' ? `${own}, ${name}` : name });
    const link = builtIn(document).createElementNS(html, 'a');
    link.setAttribute('data-platen-link', '');
    link.setAttribute('href', `${key}:${number}`);
    const place = { top: 'anchor(top)', left: 'anchor(left)', width: 'anchor-size(width)', height: 'anchor-size(height)' };
    const look: Record<string, string> = { all: 'initial', position: 'absolute', 'position-anchor': name, ...place };
    for (const [property, value] of Object.entries(look)) link.style.setProperty(property, value, 'important');
    prepared.link = link;
    holder.append(link);
  }
  builtIn(document).documentElement.append(holder);
  return holder;
}

/** Whether the content of the control is unchanged and still hidden. */
function isAsPrepared({ control, content, hiding }: PreparedControl): boolean {
  const isHidden = Object.keys(hiding).every((name) => control.style.getPropertyPriority(name) === 'important');
  return isHidden && contentOf(control) === content;
}

function restore({ control, link, text, before }: PreparedControl): void {
  link.remove();
  if (text !== undefined) control.value = text;
  for (const [element, attributes] of before)
    for (const [name, value] of attributes) {
      if (value === null) element.removeAttribute(name);
      else element.setAttribute(name, value);
    }
}
