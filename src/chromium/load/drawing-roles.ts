/**
 * Functions that run in a page and give drawings the role `img`, without which Chromium tags nothing of them but their text. CSS of
 * the document can select the role, and must not: the tagged PDF shows the same as any other.
 */
import {
  type isSameSelection as IsSameSelection,
  type LinkedStyle,
  SELECTOR_FUNCTIONS,
  type selected as Selected,
  type selectorsFor as SelectorsFor,
} from './style-selectors.ts';

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const builtIn: (node: PageElement) => PageElement;
declare const selectorsFor: typeof SelectorsFor;
declare const selected: typeof Selected;
declare const isSameSelection: typeof IsSameSelection;

/** What style sheets must contain to select the role. */
export const MENTIONS_ROLE = /role/i;

/** Takes back roles that were set when `tagDrawings` was terminated. */
export const TAKE_BACK_ROLES = 'globalThis.takeBackRoles?.()';

export const DRAWING_FUNCTIONS = [...SELECTOR_FUNCTIONS, tagDrawings, setRole];

/** Returns false, and leaves the drawings as they are, if a selector would select other elements, or may do so. */
function tagDrawings(drawings: PageElement[], roots: PageElement[], linked: LinkedStyle[] | null): boolean {
  if (!drawings.length) return true;
  const selectors = selectorsFor(drawings, roots, linked, /\[[^\]]*role/i);
  if (!selectors) return false;
  const before = selected(selectors);
  const given = drawings.map((drawing) => builtIn(drawing).getAttribute('role'));
  const world = globalThis as PageElement;
  world.takeBackRoles = () => {
    for (const [index, drawing] of drawings.entries()) setRole(drawing, given[index] ?? null);
  };
  for (const drawing of drawings) setRole(drawing, 'img');
  const isSame = isSameSelection(before, selected(selectors));
  if (!isSame) world.takeBackRoles();
  delete world.takeBackRoles;
  return isSame;
}

function setRole(drawing: PageElement, role: string | null): void {
  if (role === null) builtIn(drawing).removeAttribute('role');
  else builtIn(drawing).setAttribute('role', role);
}
