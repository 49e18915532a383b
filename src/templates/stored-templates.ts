/** Reads the stored templates of a key, and those that are shared with it. */
import type { Readable } from 'node:stream';
import { isId } from '../ids.ts';
import type { Database } from '../storage/database.ts';
import { type ListPage, mergeListPages, type Position, readListPage, searchWords } from '../storage/listing.ts';
import { type Filtered, havingMetadata, type Metadata, searchMetadata } from '../storage/metadata.ts';
import type { TemplateAsset, TemplateAssets } from './assets.ts';
import { readSamples } from './samples.ts';
import {
  noSuchTemplate,
  noSuchVersion,
  readableBy,
  SUMMARY,
  type SummaryRow,
  sizeOf,
  type Template,
  type TemplateOwner,
  type TemplateRef,
  type TemplateWithHtml,
  toTemplate,
} from './template.ts';
import { readPastVersion, readPastVersions, type TemplateVersion } from './versions.ts';

export interface TemplateFilter {
  metadata?: Metadata;
  /** Whether the templates belong to the key itself. */
  owned?: boolean;
  /** Words of the name, in any order and case. */
  name?: string;
}

export class StoredTemplates {
  readonly #database: Database;
  readonly #assets: TemplateAssets;

  constructor(database: Database, assets: TemplateAssets) {
    this.#database = database;
    this.#assets = assets;
  }

  /** Throws `not_found`, also for a template of another key that is not shared with the account. */
  async find(reader: TemplateOwner, id: string): Promise<TemplateWithHtml> {
    if (!isId(id)) throw noSuchTemplate();
    const row = await this.#database.query
      .selectFrom('templates')
      .select([...SUMMARY, 'html', 'schema'])
      .where('id', '=', id)
      .where(readableBy(reader))
      .executeTakeFirst();
    if (!row) throw noSuchTemplate();
    const { html, schema, ...summary } = row;
    return { ...toTemplate(summary), html, schema };
  }

  /** The names of those of the templates that the key may read, by id. */
  async names(reader: TemplateOwner, ids: string[]): Promise<Map<string, string>> {
    if (!ids.length) return new Map();
    const named = this.#database.query.selectFrom('templates').select(['id', 'name']).where('id', 'in', ids);
    return new Map((await named.where(readableBy(reader)).execute()).map(({ id, name }) => [id, name]));
  }

  /** The files of a version, by default the current one. Throws `not_found`. */
  async assets(reader: TemplateOwner, ref: TemplateRef): Promise<TemplateAsset[]> {
    const { id: templateId, version } = await this.resolve(reader, ref);
    return this.#assets.list({ templateId, version });
  }

  /** A file of such a version with a stream of its content. Throws `not_found` and `storage_failed`. */
  async asset(reader: TemplateOwner, ref: TemplateRef, path: string): Promise<TemplateAsset & { content: Readable }> {
    const { id: templateId, version } = await this.resolve(reader, ref);
    return this.#assets.open({ templateId, version }, path);
  }

  /** The sample data as JSON by name, of a template that the key is known to have. */
  samples({ id }: Template): Promise<Map<string, string>> {
    return readSamples(this.#database.query, id);
  }

  /** The current version and the stored earlier ones, newest first. Throws `not_found`. */
  async versions(reader: TemplateOwner, id: string): Promise<TemplateVersion[]> {
    const { html, schema, ...current } = await this.find(reader, id);
    return [{ ...current, bytes: sizeOf(html) + sizeOf(schema) }, ...(await readPastVersions(this.#database.query, current))];
  }

  /** One version with its HTML. Throws `not_found`, also if the version is no longer stored. */
  async version(reader: TemplateOwner, id: string, version: number): Promise<TemplateWithHtml> {
    return this.resolve(reader, { templateId: id, version });
  }

  /** The version that a render uses, with its HTML. Throws `not_found`. */
  async resolve(reader: TemplateOwner, { templateId, version }: TemplateRef): Promise<TemplateWithHtml> {
    const current = await this.find(reader, templateId);
    const number = version === 'published' ? current.publishedVersion : (version ?? current.version);
    const found = number === current.version ? current : number && (await readPastVersion(this.#database.query, current, number));
    if (!found) throw noSuchVersion(templateId, number);
    return found;
  }

  /** Lists the templates that a key may read, newest first, after a position. */
  async list(reader: TemplateOwner, limit: number, filter: TemplateFilter, after?: Position): Promise<ListPage<Template>> {
    const lists = [filter.owned !== false && this.#listOwn, filter.owned !== true && this.#listShared].filter((each) => !!each);
    return mergeListPages(await Promise.all(lists.map((each) => each.call(this, reader, limit, filter, after))), limit);
  }

  async #listOwn({ keyId }: TemplateOwner, limit: number, { metadata, name }: TemplateFilter, after?: Position) {
    const owned = this.#database.query.selectFrom('templates').select(SUMMARY).where('key_id', '=', keyId);
    const having = havingMetadata(this.#database.query, owned, { kind: 'template', keyId, metadata });
    return readListPage(having.rows, { ...having, ...searchNames(name, having.search), limit, after, toItem: toTemplate });
  }

  /** The templates of other keys. */
  async #listShared({ keyId, accountId }: TemplateOwner, limit: number, { metadata, name }: TemplateFilter, after?: Position) {
    const shared = this.#database.query
      .selectFrom('templates')
      .select(SUMMARY)
      .where('shared_account_id', '=', accountId)
      .where('key_id', '!=', keyId);
    return readListPage(shared, {
      ...searchNames(name, metadata && searchMetadata(metadata)),
      limit,
      after,
      toItem: toTemplate,
    });
  }
}

type Search = Filtered<'templates', SummaryRow>['search'];

/** Adds the words of a name to a search. */
function searchNames(name: string | undefined, search: Search) {
  if (!name) return { search };
  const { where, keep } = searchWords('name', name);
  const searchBoth: Search = (rows) => (search ? search(rows) : rows).where(where);
  return { search: searchBoth, keep: keep && ((template: Template) => keep(template.name)) };
}
