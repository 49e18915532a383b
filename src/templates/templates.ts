/** Stored templates of an API key: stores, lists and replaces them, and renders them with data. */
import type { Clock } from '../accounts/leases.ts';
import { isId, randomBase62 } from '../accounts/secret.ts';
import { ServiceError } from '../errors.ts';
import type { Database, Query } from '../storage/database.ts';
import { type ListPage, type Position, readListPage } from '../storage/listing.ts';
import { havingMetadata, indexMetadata, type Metadata, removeFromIndex, writeMetadata } from '../storage/metadata.ts';
import { totalOf } from '../storage/totals.ts';
import type { LiquidEngine } from './liquid.ts';
import { checkPaths, fillPlaceholders, type ParsedTemplate, parsePlaceholders } from './placeholders.ts';
import { ENGINES, type EngineName, SUMMARY, type Template, toTemplate } from './template.ts';
import { forgetOldVersions, keepVersion, pastVersion, pastVersions, type TemplateVersion } from './versions.ts';

export { ENGINES, type EngineName, type Template };

/** A new template as the caller sends it. */
export interface TemplateDraft {
  name: string;
  html: string;
  engine: EngineName;
  /** Belongs to the template, and not to a version of it. */
  metadata: Metadata;
}

/** A new version of a template. Fields that are left out keep their values. */
export type TemplateChange = Pick<TemplateDraft, 'html'> & Partial<TemplateDraft>;

/** The key that owns the templates, and the owner under which rendering is queued. */
export interface TemplateOwner {
  keyId: string;
  accountId: string;
}

/** The limits for the templates of one key. */
export interface TemplateLimits {
  maxTemplates: number;
  maxTemplateBytes: number;
}

/** The size of the cache of parsed templates, in characters of HTML. */
const CACHE_CHARACTERS = 32_000_000;
/** Estimated size of a parsed placeholder besides its text, in characters. */
const PLACEHOLDER_CHARACTERS = 100;

export class Templates {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #liquid: LiquidEngine;
  readonly #limits: TemplateLimits;
  readonly #cache = new ParsedCache();

  constructor(database: Database, clock: Clock, liquid: LiquidEngine, limits: TemplateLimits) {
    this.#database = database;
    this.#clock = clock;
    this.#liquid = liquid;
    this.#limits = limits;
  }

  /** `also` is written in the same transaction. Throws `template_error` and `template_limit`. */
  async create(
    owner: TemplateOwner,
    draft: TemplateDraft,
    also: (template: Template, query: Query) => Promise<void> = async () => {},
  ): Promise<Template> {
    const { keyId } = owner;
    const placeholders = await this.#pathsOf(owner, draft);
    const now = this.#clock();
    const id = `tpl_${randomBase62(22)}`;
    const { name, engine, metadata } = draft;
    const template = { id, name, engine, version: 1, placeholders, metadata, createdAt: now, updatedAt: now };
    await this.#database.transaction(async (query) => {
      await query
        .insertInto('templates')
        .values({
          id,
          key_id: keyId,
          name,
          engine,
          html: draft.html,
          bytes: Buffer.byteLength(draft.html),
          version: 1,
          placeholders: JSON.stringify(placeholders),
          metadata: writeMetadata(metadata),
          created_at: now,
          updated_at: now,
        })
        .execute();
      await indexMetadata(query, 'template', { ...template, keyId }, metadata);
      await this.#requireRoom(keyId, query);
      await also(template, query);
    }, oneByOne(keyId));
    await this.#database.flush();
    return template;
  }

  /** Replaces a template with a new version. Throws `not_found`, `template_error`, `template_limit`. */
  async replace(owner: TemplateOwner, id: string, { metadata, ...draft }: TemplateChange): Promise<Template> {
    const { keyId } = owner;
    const current = await this.find(keyId, id); // an unknown id is reported before errors in the draft
    const { engine } = { ...current, ...draft }; // stored together with the HTML, because another change may happen in between
    const placeholders = JSON.stringify(await this.#pathsOf(owner, { ...draft, engine }));
    const bytes = Buffer.byteLength(draft.html);
    const row = await this.#database.transaction(async (query) => {
      await keepVersion(query, keyId, id);
      const updated = await query
        .updateTable('templates')
        .set((eb) => ({
          ...{ engine, ...draft, bytes, placeholders, version: eb('version', '+', 1), updated_at: this.#clock() },
          ...(metadata && { metadata: writeMetadata(metadata) }),
        }))
        .where('id', '=', id)
        .where('key_id', '=', keyId)
        .returning(SUMMARY)
        .executeTakeFirst();
      if (!updated) throw notFound();
      if (metadata) await replaceInIndex(query, keyId, toTemplate(updated));
      await this.#requireRoom(keyId, query);
      await forgetOldVersions(query, keyId, id, this.#limits.maxTemplateBytes);
      return updated;
    }, oneByOne(keyId));
    await this.#database.flush();
    return toTemplate(row);
  }

  /** Throws `not_found`, also for a template of another key. */
  async find(keyId: string, id: string): Promise<Template & { html: string }> {
    if (!isId(id)) throw notFound();
    const row = await this.#database.query
      .selectFrom('templates')
      .select([...SUMMARY, 'html'])
      .where('id', '=', id)
      .where('key_id', '=', keyId)
      .executeTakeFirst();
    if (!row) throw notFound();
    return { ...toTemplate(row), html: row.html };
  }

  /** The current version and the stored earlier ones, newest first. Throws `not_found`. */
  async versions(keyId: string, id: string): Promise<TemplateVersion[]> {
    const { html, ...current } = await this.find(keyId, id);
    return [{ ...current, bytes: Buffer.byteLength(html) }, ...(await pastVersions(this.#database.query, current))];
  }

  /** One version with its HTML. Throws `not_found`, also if the version is no longer stored. */
  async version(keyId: string, id: string, version: number): Promise<Template & { html: string }> {
    const current = await this.find(keyId, id);
    const found = current.version === version ? current : await pastVersion(this.#database.query, current, version);
    if (!found) throw new ServiceError('not_found', 'there is no such version of the template');
    return found;
  }

  /** Lists templates, newest first, after a position. */
  async list(keyId: string, limit: number, filter: { metadata?: Metadata }, after?: Position): Promise<ListPage<Template>> {
    const owned = this.#database.query.selectFrom('templates').select(SUMMARY).where('key_id', '=', keyId);
    const having = havingMetadata(this.#database.query, owned, { kind: 'template', keyId, metadata: filter.metadata });
    return readListPage(having.rows, { ...having, limit, after, toItem: toTemplate });
  }

  /** Deletes a template and the idempotency records of the requests that created it. Throws `not_found`. */
  async remove(keyId: string, id: string): Promise<void> {
    if (!isId(id)) throw notFound();
    await this.#database.transaction(async (query) => {
      await query.deleteFrom('template_versions').where('template_id', '=', id).where('key_id', '=', keyId).execute();
      const { numDeletedRows } = await query
        .deleteFrom('templates')
        .where('id', '=', id)
        .where('key_id', '=', keyId)
        .executeTakeFirstOrThrow();
      if (!numDeletedRows) throw notFound();
      await removeFromIndex(query, id);
      await query.deleteFrom('idempotency_keys').where('resource_id', '=', id).execute();
    }, oneByOne(keyId));
    this.#cache.forget(id);
    await this.#database.flush();
  }

  /** Renders a template with data to HTML. Throws `not_found`, `content_too_large`, `template_error`. */
  async fill(
    { keyId, accountId }: TemplateOwner,
    id: string,
    data: Record<string, unknown>,
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<string> {
    if (!isId(id)) throw notFound();
    const row = await this.#database.query
      .selectFrom('templates')
      .select(['engine', 'version'])
      .where('id', '=', id)
      .where('key_id', '=', keyId)
      .executeTakeFirst();
    if (!row) throw notFound();
    const parsed = row.engine === 'placeholders' && this.#cache.get(id, row.version);
    if (parsed) return fillPlaceholders(parsed, data, limitBytes);
    const { engine, version, html } = await this.find(keyId, id);
    if (engine === 'liquid') return this.#liquid.fill(accountId, `${id}:${version}`, html, data, limitBytes, signal);
    return fillPlaceholders(this.#cache.keep(id, version, html), data, limitBytes);
  }

  /** Renders a template that is not stored. The work is queued under `owner`. */
  async fillOnce(
    owner: string,
    { engine, html }: Pick<TemplateDraft, 'engine' | 'html'>,
    data: Record<string, unknown>,
    limitBytes: number,
    signal: AbortSignal,
  ): Promise<string> {
    // All unsaved templates share one cache key, so that they do not displace stored templates from the cache.
    if (engine === 'liquid') return this.#liquid.fill(owner, `once:${owner}`, html, data, limitBytes, signal);
    return fillPlaceholders(parsePlaceholders(html), data, limitBytes);
  }

  /** Prevents one key from filling the disk. Called after the change in its transaction, which an error rolls back. */
  async #requireRoom(keyId: string, query: Query): Promise<void> {
    const { maxTemplates, maxTemplateBytes } = this.#limits;
    const { count, bytes } = await totalOf(query.selectFrom('templates').where('key_id', '=', keyId));
    if (count > maxTemplates) throw limitReached(`at most ${maxTemplates} templates`, maxTemplates);
    if (bytes > maxTemplateBytes) throw limitReached(`at most ${maxTemplateBytes} bytes of templates`, maxTemplateBytes);
  }

  async #pathsOf({ accountId }: TemplateOwner, { html, engine }: Pick<TemplateDraft, 'html' | 'engine'>): Promise<string[]> {
    return checkPaths(engine === 'liquid' ? (await this.#liquid.parse(accountId, html)).paths : parsePlaceholders(html).paths);
  }
}

/** A cache of the most recently used parsed templates, up to a number of characters. */
class ParsedCache {
  readonly #entries = new Map<string, { version: number; parsed: ParsedTemplate; size: number }>();
  #size = 0;

  get(id: string, version: number): ParsedTemplate | undefined {
    const entry = this.#entries.get(id);
    if (entry?.version !== version) return undefined;
    this.#entries.delete(id);
    this.#entries.set(id, entry); // the most recently used are at the end
    return entry.parsed;
  }

  keep(id: string, version: number, html: string): ParsedTemplate {
    this.forget(id);
    const parsed = parsePlaceholders(html);
    const size = html.length + PLACEHOLDER_CHARACTERS * parsed.order.length;
    this.#entries.set(id, { version, parsed, size });
    this.#size += size;
    for (const [oldest] of this.#entries) {
      if (this.#size <= CACHE_CHARACTERS) break;
      this.forget(oldest);
    }
    return parsed;
  }

  forget(id: string): void {
    this.#size -= this.#entries.get(id)?.size ?? 0;
    this.#entries.delete(id);
  }
}

async function replaceInIndex(query: Query, keyId: string, template: Template): Promise<void> {
  await removeFromIndex(query, template.id);
  await indexMetadata(query, 'template', { ...template, keyId }, template.metadata);
}

/** Limits and versions count rows that another change could add meanwhile. */
function oneByOne(keyId: string): string {
  return `templates ${keyId}`;
}

function limitReached(what: string, limit: number): ServiceError {
  return new ServiceError('template_limit', `a key may have ${what}; delete templates that you no longer need`, {
    members: { limit },
  });
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'there is no such template');
}
