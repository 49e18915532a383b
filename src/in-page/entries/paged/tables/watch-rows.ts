/** Notices rows and amounts that a script of the document changes while it is printed, because sums do not include them. */
import { readAttribute } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { pagedTables } from './find-tables.ts';

let compare: () => boolean = () => true;

/** Compares the rows in each `beforeprint` event, after the listeners of the document, because `afterprint` may restore them. */
export function watchTableRows(): null {
  const before = readRows();
  let isSame = true;
  compare = () => {
    const now = readRows();
    isSame &&= now.length === before.length && now.every((each, index) => each === before[index]);
    return isSame;
  };
  addEventListener('beforeprint', compare);
  return null;
}

export function haveTableRowsChanged(): boolean {
  return !compare();
}

/** The rows of the bodies, and the amounts of each column. */
function readRows(): unknown[] {
  return pagedTables().flatMap(({ table, found }) => [
    ...[...table.tBodies].flatMap((body) => [...body.rows]),
    ...Object.keys(found.columns).flatMap((column) => readAmounts(table, `data-${column}`)),
  ]);
}

function readAmounts(table: HTMLTableElement, name: string): Array<string | null> {
  return Array.from(selectIn<Element>(table, `[${name}]`), (element) => readAttribute(element, name));
}
