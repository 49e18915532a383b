/**
 * Stores the assets of templates: files in, rows for a version and content in the blob store out. Versions share unchanged content,
 * which is removed with the last row that names it.
 */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ServiceError, storageFailed } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { type Database, isOutcomeUnknown, type Query } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared.ts';
import type { Condition, Selected } from '../storage/tables.ts';
import { readableBy, type TemplateOwner } from './template.ts';

export interface AssetFile {
  /** The media type. */
  type: string;
  content: Buffer;
}

/** Files by path, such as `css/print.css`. */
export type AssetFiles = ReadonlyMap<string, AssetFile>;

/** Files to add or replace, and null for those to remove, by path. */
export type AssetChanges = ReadonlyMap<string, AssetFile | null>;

const COLUMNS = ['path', 'type', 'bytes', 'blob'] as const;
/** `blob` is the name of the content. */
export type TemplateAsset = Selected<'template_assets', (typeof COLUMNS)[number]>;

export interface AssetLimits {
  maxAssets: number;
  maxAssetsBytes: number;
}

/** Identifies a version of a template. */
export interface VersionOf {
  templateId: string;
  version: number;
}

const ROWS = 100;
const NOTHING = Buffer.alloc(0);

/** The files with empty content. */
export function toNamedFiles(assets: TemplateAsset[]): AssetFiles {
  return new Map(assets.map(({ path, type }) => [path, { type, content: NOTHING }]));
}

export class TemplateAssets {
  readonly #database: Database;
  readonly #blobs: Blobs;
  readonly #limits: AssetLimits;

  constructor(database: Database, blobs: Blobs, limits: AssetLimits) {
    this.#database = database;
    this.#blobs = blobs;
    this.#limits = limits;
  }

  /** Writes the content, calls `save`, which writes the rows, and removes the content if that fails. */
  async saving<T>(files: AssetFiles, save: (written: TemplateAsset[]) => Promise<T>): Promise<T> {
    const written: TemplateAsset[] = [];
    try {
      for (const [path, { type, content }] of files) {
        const asset = { path, type, bytes: content.length, blob: createId('tas') };
        written.push(asset);
        await this.#blobs.put(asset.blob, [content]);
      }
      return await save(written);
    } catch (error) {
      if (!isOutcomeUnknown(error)) await this.removeContent(written.map(({ blob }) => blob));
      throw error;
    }
  }

  async insert(query: Query, { templateId, version }: VersionOf, keyId: string, assets: TemplateAsset[]): Promise<void> {
    const rows = assets.map((asset) => ({ ...asset, template_id: templateId, version, key_id: keyId }));
    for (let start = 0; start < rows.length; start += ROWS)
      await query
        .insertInto('template_assets')
        .values(rows.slice(start, start + ROWS))
        .execute();
    await this.#requireRoom(query, { templateId, version });
  }

  /** Gives a version the files of the previous one, except those at the paths of `except`. */
  async carryOver(
    query: Query,
    { templateId, version }: VersionOf,
    keyId: string,
    except: ReadonlyMap<string, unknown> = new Map(),
  ): Promise<void> {
    const before = await this.#rows(query, { templateId, version: version - 1 });
    await this.insert(
      query,
      { templateId, version },
      keyId,
      before.filter(({ path }) => !except.has(path)),
    );
  }

  /** Deletes the rows of these versions. Returns the names of blobs that no row names any more. */
  async forget(query: Query, versions: VersionOf[]): Promise<string[]> {
    const unnamed: string[] = [];
    for (const { templateId, version } of versions) {
      const gone = await query
        .deleteFrom('template_assets')
        .where('template_id', '=', templateId)
        .where('version', '=', version)
        .returning('blob')
        .execute();
      unnamed.push(...gone.map(({ blob }) => blob));
    }
    const named = new Set<string>();
    for (let start = 0; start < unnamed.length; start += ROWS) {
      const rows = await query
        .selectFrom('template_assets')
        .select('blob')
        .where('blob', 'in', unnamed.slice(start, start + ROWS))
        .execute();
      for (const { blob } of rows) named.add(blob);
    }
    return [...new Set(unnamed)].filter((blob) => !named.has(blob));
  }

  /** Deletes the rows of all versions. Returns the names of their blobs. */
  async forgetAll(query: Query, keyId: string, templateId: string): Promise<string[]> {
    const gone = await query
      .deleteFrom('template_assets')
      .where('template_id', '=', templateId)
      .where('key_id', '=', keyId)
      .returning('blob')
      .execute();
    return [...new Set(gone.map(({ blob }) => blob))];
  }

  /** Call it after the deletion of the rows was flushed. The sweep removes later what cannot be removed now. */
  async removeContent(blobs: string[]): Promise<void> {
    for (const blob of blobs) await this.#blobs.remove(blob).catch(() => {});
  }

  /** The files of a version, sorted by path. */
  async list(version: VersionOf): Promise<TemplateAsset[]> {
    return this.#rows(this.#database.query, version);
  }

  /**
   * The files of a template and its parts. Of two with the same path, one of `first` is used, or the first in the order of the versions.
   * Throws `content_too_large`.
   */
  async listAll(versions: VersionOf[], first: TemplateAsset[] = []): Promise<TemplateAsset[]> {
    const files = new Map(first.map((asset) => [asset.path, asset]));
    for (const version of versions)
      for (const asset of await this.list(version)) if (!files.has(asset.path)) files.set(asset.path, asset);
    const assets = [...files.values()];
    this.#requireLimits(assets);
    return assets;
  }

  /** The current version and its files, in one round trip. Undefined if the key may read no such template. */
  async current({ keyId, accountId }: TemplateOwner, id: string) {
    const { rows } = await selectCurrent(this.#database.query, { keyId, accountId, id });
    const [first] = rows;
    return first && { engine: first.engine, version: first.version, updatedAt: first.updatedAt, assets: withPaths(rows) };
  }

  /**
   * A certain version and its files, in one round trip. Undefined if the key may read no such template; the version is null if none is
   * published, and the engine if the version is not stored.
   */
  async pinned({ keyId, accountId }: TemplateOwner, id: string, pin: number | 'published') {
    const { rows } = await selectPinned(this.#database.query, { keyId, accountId, id, pin: pin === 'published' ? null : pin });
    const [first] = rows;
    if (!first) return undefined;
    const version = pin === 'published' ? first.published_version : pin;
    return { engine: version === first.current ? first.engine : first.earlier, version, assets: withPaths(rows) };
  }

  /** Reads the content of these files. Throws `storage_failed`. */
  async read(assets: TemplateAsset[]): Promise<AssetFiles> {
    const files = new Map<string, AssetFile>();
    for (const asset of assets) files.set(asset.path, { type: asset.type, content: await buffer(await this.#open(asset)) });
    return files;
  }

  /** Opens a file as a stream, which the caller must read or destroy. Throws `not_found` and `storage_failed`. */
  async open(version: VersionOf, path: string): Promise<TemplateAsset & { content: Readable }> {
    const asset = (await this.list(version)).find((each) => each.path === path);
    if (!asset) throw noSuchAsset();
    return { ...asset, content: await this.#open(asset) };
  }

  /** The size of the content of a key in bytes: of its current and published versions, and of all versions. */
  async countBytes(query: Query, keyId: string): Promise<{ current: number; all: number }> {
    const total = async (currentOnly: boolean) => {
      const blobs = query
        .selectFrom('template_assets')
        .$if(currentOnly, (rows) =>
          rows.innerJoin('templates', (join) =>
            join.onRef('templates.id', '=', 'template_assets.template_id').on(({ eb, ref, or }) => {
              const version = ref('template_assets.version');
              return or([eb('templates.version', '=', version), eb('templates.published_version', '=', version)]);
            }),
          ),
        )
        .select((eb) => ['blob', eb.fn.max('template_assets.bytes').as('size')])
        .where('template_assets.key_id', '=', keyId)
        .groupBy('blob')
        .as('content');
      const { bytes } = await query
        .selectFrom(blobs)
        .select((eb) => eb.fn.sum<number | string | null>('size').as('bytes'))
        .executeTakeFirstOrThrow();
      return Number(bytes ?? 0);
    };
    return { current: await total(true), all: await total(false) };
  }

  async #open({ blob }: TemplateAsset): Promise<Readable> {
    const stream = await this.#blobs.read(blob);
    if (!stream)
      throw storageFailed(
        'a file of the template cannot be found; it may just have been replaced',
        new Error(`the content ${blob} is missing`),
      );
    return stream;
  }

  #rows(query: Query, { templateId, version }: VersionOf): Promise<TemplateAsset[]> {
    return query
      .selectFrom('template_assets')
      .select(COLUMNS)
      .where('template_id', '=', templateId)
      .where('version', '=', version)
      .orderBy('path')
      .execute();
  }

  /** Checks the limits of a version, because files are added to those that it already has. */
  async #requireRoom(query: Query, version: VersionOf): Promise<void> {
    this.#requireLimits(await this.#rows(query, version));
  }

  #requireLimits(assets: TemplateAsset[]): void {
    const { maxAssets, maxAssetsBytes } = this.#limits;
    const bytes = assets.reduce((sum, asset) => sum + asset.bytes, 0);
    if (assets.length > maxAssets)
      throw tooLarge(`${assets.length} files; at most ${maxAssets} are allowed`, maxAssets, assets.length);
    if (bytes > maxAssetsBytes)
      throw tooLarge(`${bytes} bytes together; at most ${maxAssetsBytes} are allowed`, maxAssetsBytes, bytes);
  }
}

/** Selects one row for each file, or one row without a file. */
const selectCurrent = prepareQuery((query, { keyId, accountId, id }: TemplateOwner & { id: string }) =>
  query
    .selectFrom('templates')
    .leftJoin('template_assets as asset', (join) =>
      join.onRef('asset.template_id', '=', 'templates.id').onRef('asset.version', '=', 'templates.version'),
    )
    .select(['templates.engine', 'templates.version', 'templates.updated_at as updatedAt'])
    .select(['asset.path', 'asset.type', 'asset.bytes', 'asset.blob'])
    .where('templates.id', '=', id)
    .where(readableBy({ keyId, accountId }))
    .orderBy('asset.path'),
);

/** Selects like `selectCurrent`, of the version `pin`, or of the published one if it is null. */
type Pinned = TemplateOwner & { id: string; pin: number | null };
const selectPinned = prepareQuery((query, { keyId, accountId, id, pin }: Pinned) => {
  const version = ({ fn, cast, val, ref }: Condition<'templates'>) =>
    fn.coalesce(cast<number | null>(val(pin), 'integer'), ref('templates.published_version'));
  return query
    .selectFrom('templates')
    .leftJoin('template_versions as past', (join) =>
      join.onRef('past.template_id', '=', 'templates.id').on('past.version', '=', version),
    )
    .leftJoin('template_assets as asset', (join) =>
      join.onRef('asset.template_id', '=', 'templates.id').on('asset.version', '=', version),
    )
    .select(['templates.engine', 'templates.version as current', 'templates.published_version', 'past.engine as earlier'])
    .select(['asset.path', 'asset.type', 'asset.bytes', 'asset.blob'])
    .where('templates.id', '=', id)
    .where(readableBy({ keyId, accountId }))
    .orderBy('asset.path');
});

function withPaths<Row extends { path: string | null }>(rows: Row[]) {
  return rows.filter((row): row is Row & TemplateAsset => row.path !== null);
}

export function noSuchAsset(): ServiceError {
  return new ServiceError('not_found', 'the template has no file at this path');
}

function tooLarge(what: string, limit: number, actual: number): ServiceError {
  return new ServiceError('content_too_large', `the assets of the template are ${what}`, { members: { limit, actual } });
}
