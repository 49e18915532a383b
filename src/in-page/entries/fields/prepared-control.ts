/** A control that is prepared for the print. Every change is recorded, so that the control can be restored. */
import { writeAttribute } from '../../dom/nodes.ts';
import { type Control, contentToCompare } from './control.ts';

export class PreparedControl {
  readonly control: Control;
  /** Gives its position in the PDF. */
  link: HTMLElement | undefined;
  /** Its content during the print. */
  #content: string;
  /** The original value of a control with several lines. */
  #text: string | undefined;
  /** The properties in its style attribute that hide its content. */
  #hiding: string[] = [];
  /** The original values of changed attributes, by element and name. */
  readonly #originals = new Map<Element, Map<string, string | null>>();

  constructor(control: Control) {
    this.control = control;
    this.#content = contentToCompare(control);
  }

  /** Removes the attribute if the value is null. */
  setAttribute(element: Element, name: string, value: string | null): void {
    const known = this.#originals.get(element) ?? new Map<string, string | null>();
    this.#originals.set(element, known);
    if (!known.has(name)) known.set(name, element.getAttribute(name));
    writeAttribute(element, name, value);
  }

  setStyle(element: HTMLElement, properties: Record<string, string>): void {
    this.setAttribute(element, 'style', element.getAttribute('style'));
    for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value, 'important');
  }

  /** Sets styles that are still set when the control is unchanged. */
  hideWith(properties: Record<string, string>): void {
    this.#hiding = Object.keys(properties);
    this.setStyle(this.control, properties);
  }

  /** Hides the marks of a checkbox or a radio button, which may be generated content. */
  hideMarks(properties: Record<string, string>): void {
    this.setStyle(this.control, properties);
    this.setAttribute(this.control, 'data-platen-marked', '');
  }

  replaceText(text: string): void {
    this.#text = this.control.value;
    this.control.value = text;
    this.#content = contentToCompare(this.control);
  }

  /** Whether the content of the control is unchanged and still hidden. */
  isUnchanged(): boolean {
    const isHidden = this.#hiding.every((name) => this.control.style.getPropertyPriority(name) === 'important');
    return isHidden && contentToCompare(this.control) === this.#content;
  }

  restore(): void {
    this.link?.remove();
    if (this.#text !== undefined) this.control.value = this.#text;
    for (const [element, attributes] of this.#originals)
      for (const [name, value] of attributes) writeAttribute(element, name, value);
  }
}
