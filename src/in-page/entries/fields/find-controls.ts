/** Finds the controls of the document that can become form fields. */
import { measureBox, read } from '../../dom/nodes.ts';
import { openRoots, type Root, selectIn } from '../../dom/roots.ts';
import { isShown } from '../../dom/visibility.ts';
import { type Control, fieldKind, radioSet } from './control.ts';
import { Obstacles } from './obstacles.ts';

/** The size in CSS pixels that a control needs to become a field. */
const MIN_SIZE = 3;

export interface FoundControls {
  controls: Control[];
  /** Controls that are rotated, scaled, cut off or in shadow trees, and the other radio buttons of their sets. */
  others: Control[];
}

/** The names of sets of radio buttons by their form. */
type RadioSets = Map<HTMLFormElement | null | undefined, Set<string>>;

/** No link of the document can be placed over a control in a shadow tree. A set of radio buttons belongs to one group as a whole. */
export function findControls(): FoundControls {
  const obstacles = new Obstacles();
  const [seen = [], ...inShadows] = openRoots().map((root) => findVisibleControls(root, obstacles));
  const usable = new Set(seen.filter((control) => isUsable(control, obstacles)));
  const broken: RadioSets = new Map();
  for (const control of seen) if (!usable.has(control)) setsAround(control, broken).add(radioSet(control));
  const isWhole = (control: Control) => !radioSet(control) || !setsAround(control, broken).has(radioSet(control));
  const controls = seen.filter((control) => usable.has(control) && isWhole(control));
  const taken = new Set(controls);
  return { controls, others: [...seen.filter((control) => !taken.has(control)), ...inShadows.flat()] };
}

function findVisibleControls(root: Root, obstacles: Obstacles): Control[] {
  const found: Control[] = [...selectIn(root, 'input, textarea, select, [data-signature-field]:not(form)')];
  return found.filter((control) => fieldKind(control) !== '' && isVisible(control, obstacles));
}

/** Returns the names in the form of a control. Changes to the returned set are kept. */
function setsAround({ form }: Control, sets: RadioSets): Set<string> {
  const names = sets.get(form) ?? new Set();
  sets.set(form, names);
  return names;
}

/** The content of hidden controls must not get into the PDF. */
function isVisible(control: Control, obstacles: Obstacles): boolean {
  const { width, height, right, bottom } = control.getBoundingClientRect();
  const { scrollLeft, scrollTop } = read(document, 'documentElement');
  if (width < MIN_SIZE || height < MIN_SIZE || right + scrollLeft <= 0 || bottom + scrollTop <= 0) return false;
  return isShown(control) && obstacles.find(control) !== 'clipped';
}

/** Whether the text of the control is horizontal, and neither rotated, scaled nor cut off. */
function isUsable(control: Control, obstacles: Obstacles): boolean {
  return obstacles.find(control) === '' && getComputedStyle(control).writingMode === 'horizontal-tb' && !isCutOff(control);
}

/** Whether a box around the control cuts off a quarter of it. Less is often only padding. */
function isCutOff(control: Control): boolean {
  const own = control.getBoundingClientRect();
  let { position } = getComputedStyle(control);
  for (let box = control.parentElement; box && box.localName !== 'body'; box = read(box, 'parentElement')) {
    const style = getComputedStyle(box);
    if (position === 'absolute' && style.position === 'static') continue; // it is laid out in another box
    position = style.position;
    if (style.overflow === 'visible' || /^(?:inline|contents)$/.test(style.display)) continue;
    const around = measureBox(box);
    const across = Math.max(around.left - own.left, own.right - around.right);
    const down = Math.max(around.top - own.top, own.bottom - around.bottom);
    if (across > own.width / 4 || down > own.height / 4) return true;
  }
  return false;
}
