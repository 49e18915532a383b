/** Places links over prepared controls, which give their positions in the PDF. */
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { addProbeHolder, anchorNames, createProbe } from '../../dom/probes.ts';
import type { PreparedControl } from './prepared-control.ts';

/** Adds styles for the links, and for what else must not be printed of prepared controls. */
export function addFieldStyles(): void {
  const hidden = ['[data-platen-field]::placeholder'];
  const still = '[data-platen-field]::before, [data-platen-field]::after { transition: none !important }';
  const marks = ['[data-platen-marked]::before', '[data-platen-marked]::after'];
  const rules = [...hidden, ...marks].map((selector) => `${selector} { visibility: hidden !important }`);
  adoptStyles([...rules, still].join(' '), new Changes());
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
