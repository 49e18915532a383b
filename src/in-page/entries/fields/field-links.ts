/** Places links over prepared controls, which give their positions in the PDF. */
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { anchorNames, createProbe, Probes } from '../../dom/probes.ts';
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
  const probes = new Probes(new Changes());
  const nameOf = (number: number) => `--${key}-${number}`;
  const anchors = all.map(({ control }, number) => anchorNames(control, nameOf(number)));
  for (const [number, prepared] of all.entries()) {
    prepared.setStyle(prepared.control, { 'anchor-name': anchors[number] as string });
    prepared.link = createProbe(`${key}:${number}`, nameOf(number));
    probes.add(prepared.link);
  }
  return probes.place();
}
