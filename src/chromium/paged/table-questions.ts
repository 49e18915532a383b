/** Asks a document about its tables whose head and foot depend on their pages, and what is painted over its pages. */
import { Type } from 'typebox';
import type { OverlaySheet } from '../../in-page/contract/overlay.ts';
import {
  AMOUNT,
  CARRY_PLACES,
  type FoundTables,
  MAX_PAGED_TABLES,
  MAX_TABLE_ROWS,
  type PreparedTable,
  ROW_PAGES,
  type TableChange,
} from '../../in-page/contract/paged-tables.ts';
import { BOOLEAN, DONE } from '../devtools/ask.ts';
import { shape } from '../devtools/evaluate.ts';
import type { PagedWorld } from './paged-world.ts';

const COUNT = Type.Integer({ minimum: 0, maximum: MAX_TABLE_ROWS });
const FOUND = shape(
  Type.Object({
    tables: Type.Array(
      Type.Object({
        columns: Type.Record(Type.String(), Type.Array(Type.Tuple([COUNT, Type.String({ pattern: AMOUNT.source })]))),
        carries: Type.Array(
          Type.Object({
            column: Type.String(),
            at: Type.Enum([...CARRY_PLACES]),
            language: Type.String(),
            format: Type.String(),
            selector: Type.String(),
          }),
        ),
      }),
      { maxItems: MAX_PAGED_TABLES },
    ),
    problem: Type.String({ maxLength: 2_000 }),
  }),
);
const PULLED = Type.Object({ names: Type.Array(Type.String()), heightPx: Type.Number(), spacingPx: Type.Number() });
const MARKS = Type.Array(Type.Tuple([COUNT, Type.String()]));
const PREPARED = shape(
  Type.Array(
    Type.Object({
      marks: MARKS,
      topsPx: Type.Array(Type.Number(), { maxItems: 2 * MAX_TABLE_ROWS }),
      last: Type.Integer({ minimum: -1, maximum: 2 * MAX_TABLE_ROWS }),
      carries: Type.Array(Type.Tuple([COUNT, Type.String()])),
      rows: Type.Array(
        Type.Object({ name: Type.String(), on: Type.Enum([...ROW_PAGES]), cells: COUNT, carries: Type.Array(COUNT) }),
      ),
      top: PULLED,
      bottom: PULLED,
      headOrder: Type.Array(Type.String()),
      before: Type.String(),
      followsPage: Type.Boolean(),
    }),
    { maxItems: MAX_PAGED_TABLES },
  ),
);

export function findTables(world: PagedWorld): Promise<FoundTables> {
  return world.ask('findTables', [], FOUND);
}

/** `reserved` has, for each sum of each table, its value at the end and the longest texts that it shows. */
export async function prepareTables(
  world: PagedWorld,
  key: string,
  reserved: string[][][],
  mayPaintHeads: boolean,
): Promise<PreparedTable[]> {
  await world.ask('hideTableRows', [key, reserved, mayPaintHeads], DONE);
  return world.ask('prepareTables', [key], PREPARED);
}

/** Notices when a script changes rows or amounts from now on. */
export async function watchTableRows(world: PagedWorld): Promise<void> {
  await world.ask('watchTableRows', [], DONE);
}

export function haveTableRowsChanged(world: PagedWorld): Promise<boolean> {
  return world.ask('haveTableRowsChanged', [], BOOLEAN);
}

export async function changeTables(world: PagedWorld, changes: TableChange[]): Promise<void> {
  await world.ask('changeTables', [changes], DONE);
}

/** Marks all rows of a table. */
export function markAllRows(world: PagedWorld, table: number): Promise<PreparedTable['marks']> {
  return world.ask('markAllRows', [table], shape(MARKS));
}

/** Shows the sheets instead of the document, for good. */
export async function showOverlay(world: PagedWorld, sheets: OverlaySheet[]): Promise<void> {
  await world.ask('showOverlay', [sheets], DONE);
}
