/** Reads how checkboxes and radio buttons look when they are on and off. */
import type { BoxLook, BoxLooks } from '../../../tag-structure.ts';
import { selectIn } from '../../dom/roots.ts';
import { drawnScale } from './drawn-scale.ts';
import type { PreparedControl } from './prepared-control.ts';
import { boxProperties, declarations, textProperties } from './style-declarations.ts';

/** Images that are not in the document, and symbols of icon fonts. */
const NOT_EMBEDDED = /url\((?!"?data:)|[\ue000-\uf8ff]/i;

/**
 * Returns undefined if the control shows an image or a symbol of an icon font, which the print of the appearances does not load. Other
 * buttons of a set are off for a moment. Scripts are not told.
 */
export function checkboxAppearances(prepared: PreparedControl): BoxLooks | undefined {
  const control = prepared.control as HTMLInputElement;
  const before = control.checked;
  const others = control.type === 'radio' ? [...selectIn<HTMLInputElement>(document, 'input[type="radio"]:checked')] : [];
  prepared.setStyle(control, { transition: 'none' });
  const readWhen = (isOn: boolean) => {
    control.checked = isOn;
    return readAppearance(control);
  };
  const isPrinted = !before && getComputedStyle(control).appearance !== 'none';
  const looks = { on: readWhen(true), off: readWhen(false), isPrinted, scale: drawnScale(getComputedStyle(control)) };
  control.checked = before;
  for (const other of others) if (!other.checked) other.checked = true;
  return NOT_EMBEDDED.test(JSON.stringify(looks).replace(/\\"/g, '"')) ? undefined : looks;
}

function readAppearance(control: HTMLInputElement): BoxLook {
  const own = getComputedStyle(control);
  if (own.appearance !== 'none')
    return {
      box: declarations(own, ['accent-color', 'appearance', 'color-scheme', 'print-color-adjust']),
      before: '',
      after: '',
    };
  const all = (style: CSSStyleDeclaration) => declarations(style, [...textProperties(style, false), ...boxProperties()]);
  const part = (pseudo: string) => {
    const style = getComputedStyle(control, pseudo);
    return style.content === 'none' ? '' : all(style);
  };
  return { box: all(own), before: part('::before'), after: part('::after') };
}
