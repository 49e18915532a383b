/** Counts what kills left behind, which shows at which moments they came. */
import { DatabaseSync } from 'node:sqlite';
import { blobFiles, namedFiles, unfinishedFiles } from '../support/data-folder.ts';
import type { Survivor } from './survivor.ts';

const ROWS = {
  reservations: 'SELECT id FROM reservations',
  claims: 'SELECT claim AS id FROM idempotency_keys WHERE answer IS NULL',
  removals: 'SELECT id FROM documents WHERE has_content = 1 AND deleted_at IS NOT NULL',
};

export class Wreckage {
  readonly #found = new Map<string, Set<string>>();

  async note(survivor: Survivor): Promise<void> {
    this.#add('unfinished', await unfinishedFiles(survivor.dataDir));
    const files = await blobFiles(survivor.dataDir);
    await survivor.withCopy((copy) => {
      const database = new DatabaseSync(copy);
      for (const [what, sql] of Object.entries(ROWS)) this.#add(what, idsOf(database, sql));
      database.close();
      const named = new Set(namedFiles(copy).map(({ file }) => file));
      const orphans = files.filter((file) => !named.has(file));
      this.#add('orphans', orphans);
    });
  }

  toString(): string {
    return [...this.#found].map(([what, { size }]) => `${size} ${what}`).join(', ');
  }

  #add(what: string, names: string[]): void {
    this.#found.set(what, new Set([...(this.#found.get(what) ?? []), ...names]));
  }
}

function idsOf(database: DatabaseSync, sql: string): string[] {
  const rows = database.prepare(sql).all();
  return rows.map(({ id }) => String(id));
}
