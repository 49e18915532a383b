/** Looks at a document, also a hidden one, without the bodies of its tables, whose layout takes most of the time. */
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { coverSheet } from '../../dom/cover.ts';

/** Bodies with heads of other tables in them stay. */
const HEADS_ALONE = 'tbody:not(:has(thead, tfoot), :is(thead, tfoot) *) { display: none !important }';

/** More rules may apply meanwhile. A window of a long document stays hidden. */
export function withHeadsAlone<T>(look: () => T, rules = ''): T {
  const changes = new Changes();
  const cover = coverSheet();
  const hide = (hides: boolean) => {
    if (cover) cover.disabled = !hides;
  };
  changes.add(() => hide(true));
  try {
    hide(false);
    adoptStyles(HEADS_ALONE + rules, changes);
    return look();
  } finally {
    changes.undo();
  }
}
