/** Stores the files that all documents of an account can use: files in, rows of the account and content in the blob store out. */
import { ServiceError } from '../errors.ts';
import type { Database, Query } from '../storage/database.ts';
import { type AssetFiles, type TemplateAsset, type TemplateAssets, toNamedFiles } from './assets.ts';

/** Rows per statement. */
const ROWS = 100;

export class AccountAssets {
  readonly #database: Database;
  readonly #assets: TemplateAssets;

  constructor(database: Database, assets: TemplateAssets) {
    this.#database = database;
    this.#assets = assets;
  }

  /** The files, sorted by path. */
  async list(accountId: string): Promise<TemplateAsset[]> {
    return this.#database.query
      .selectFrom('account_assets')
      .select(['path', 'type', 'bytes', 'blob'])
      .where('account_id', '=', accountId)
      .orderBy('path')
      .execute();
  }

  /** Reads the files, or only their names. Throws `storage_failed`. */
  async read(accountId: string, { hasNamesOnly = false }: { hasNamesOnly?: boolean | undefined } = {}): Promise<AssetFiles> {
    const assets = await this.list(accountId);
    if (hasNamesOnly) return toNamedFiles(assets);
    // A file that cannot be found may just have been replaced.
    return this.#assets.read(assets).catch(async () => this.#assets.read(await this.list(accountId)));
  }

  /** Replaces all files of the account. Throws `not_found` for a deleted account, and `storage_failed`. */
  async replace(accountId: string, files: AssetFiles): Promise<void> {
    const removed = await this.#assets.saving(files, (written) => this.#replaceRows(accountId, written));
    await this.#database.flush();
    await this.#assets.removeContent(removed);
  }

  /** Removes all files of an account that was deleted. */
  async removeAll(accountId: string): Promise<void> {
    const gone = await removeRows(this.#database.query, accountId);
    if (gone.length) await this.#database.flush();
    await this.#assets.removeContent(gone);
  }

  /** Returns the names of the blobs that are no longer used. */
  #replaceRows(accountId: string, written: TemplateAsset[]): Promise<string[]> {
    return this.#database.transaction(async (query) => {
      const gone = await removeRows(query, accountId);
      const rows = written.map((asset) => ({ ...asset, account_id: accountId }));
      for (let start = 0; start < rows.length; start += ROWS)
        await query
          .insertInto('account_assets')
          .values(rows.slice(start, start + ROWS))
          .execute();
      const { numUpdatedRows } = await query
        .updateTable('accounts')
        .set({ asset_bytes: written.reduce((sum, { bytes }) => sum + bytes, 0) })
        .where('id', '=', accountId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      if (!numUpdatedRows) throw new ServiceError('not_found', 'the account was deleted');
      return gone;
    }, `account assets ${accountId}`);
  }
}

/** Returns the names of their blobs. */
async function removeRows(query: Query, accountId: string): Promise<string[]> {
  const rows = await query.deleteFrom('account_assets').where('account_id', '=', accountId).returning('blob').execute();
  return rows.map(({ blob }) => blob);
}
