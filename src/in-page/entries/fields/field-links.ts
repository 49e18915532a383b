/** Places links over prepared controls, which give their positions in the PDF. */
import { Changes } from '../../dom/changes.ts';
import { read } from '../../dom/nodes.ts';
import { addProbeHolder, anchorNames, createProbe, PROBE_RULES } from '../../dom/probes.ts';
import type { PreparedControl } from './prepared-control.ts';

/** Adds styles for the links, and for what else must not be printed of prepared controls. */
export function addFieldStyles(): void {
  const sheet = new CSSStyleSheet();
  const hidden = ['[data-platen-field]::placeholder'];
  const still = '[data-platen-field]::before, [data-platen-field]::after { transition: none !important }';
  const marks = ['[data-platen-marked]::before', '[data-platen-marked]::after'];
  const rules = [...hidden, ...marks].map((selector) => `${selector} { visibility: hidden !important }`);
  sheet.replaceSync([...rules, still, PROBE_RULES].join(' '));
  const adopted = [...read(document, 'adoptedStyleSheets'), sheet];
  Reflect.set(Document.prototype, 'adoptedStyleSheets', adopted, document); // an element may have this name
}

/** Returns the element that holds the links. */
export function addFieldLinks(all: PreparedControl[], key: string): HTMLElement {
  const holder = addProbeHolder(new Changes());
  for (const [number, prepared] of all.entries()) {
    const name = `--${key}-${number}`;
    prepared.setStyle(prepared.control, { 'anchor-name': anchorNames(prepared.control, name) });
    prepared.link = createProbe(`${key}:${number}`, name);
    holder.append(prepared.link);
  }
  return holder;
}
