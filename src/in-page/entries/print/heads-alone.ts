/** Looks at a document, also a hidden one, without the bodies of its tables, whose layout takes most of the time. */
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';

/** Bodies with heads of other tables in them stay. */
const HEADS_ALONE = `:root, body { display: block !important }
tbody:not(:has(thead, tfoot), :is(thead, tfoot) *) { display: none !important }`;

/** More rules may apply meanwhile. A document with a rule in a cascade layer that hides it stays hidden. */
export function withHeadsAlone<T>(look: () => T, rules = ''): T {
  const changes = new Changes();
  try {
    adoptStyles(HEADS_ALONE + rules, changes);
    return look();
  } finally {
    changes.undo();
  }
}
