/** Stored templates of an API key: stores, lists and replaces them, and renders them with data. */
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { invalidField, ServiceError } from '../errors.ts';
import { createId, isId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import { type ListPage, mergeListPages, type Position, readListPage } from '../storage/listing.ts';
import {
  havingMetadata,
  indexMetadata,
  type Metadata,
  removeFromIndex,
  searchMetadata,
  writeMetadata,
} from '../storage/metadata.ts';
import type { Condition } from '../storage/tables.ts';
import { readTotal } from '../storage/totals.ts';
import {
  type AssetChanges,
  type AssetFile,
  type AssetFiles,
  noSuchAsset,
  type TemplateAsset,
  type TemplateAssets,
  toNamedFiles,
  type VersionOf,
} from './assets.ts';
import { type LiquidEngine, toJson } from './liquid.ts';
import type { LiquidSource } from './liquid-messages.ts';
import { type Parts, TemplateParts } from './parts.ts';
import { checkPaths, fillPlaceholders, type ParsedTemplate, parsePlaceholders } from './placeholders.ts';
import { readSamples, type SampleChanges, writeSamples } from './samples.ts';
import type { Schemas } from './schemas.ts';
import {
  ENGINES,
  type EngineName,
  readableBy,
  SUMMARY,
  type Template,
  type TemplateOwner,
  type TemplateRef,
  type TemplateWithHtml,
  toSharedAccount,
  toTemplate,
  VISIBILITIES,
  type Visibility,
} from './template.ts';
import {
  countPastBytes,
  findVersionAsOf,
  forgetOldVersions,
  forgetTheOldest,
  keepVersion,
  readContent,
  readPastVersion,
  readPastVersions,
  type TemplateVersion,
} from './versions.ts';

export { ENGINES, type EngineName, type Template, type TemplateOwner, type TemplateRef, type TemplateWithHtml, VISIBILITIES };

/** A new template as the caller sends it. */
export interface TemplateDraft {
  name: string;
  html: string;
  engine: EngineName;
  /** Belongs to the template and not to one of its versions. */
  metadata: Metadata;
  /** Belongs to the template and not to one of its versions. Default: `key`. */
  visibility?: Visibility | undefined;
  /** Files that relative URLs in the template refer to. */
  assets?: AssetFiles | undefined;
  /** JSON: the JSON Schema of the data. Null for none. */
  schema?: string | null | undefined;
  /** Belong to the template as well. */
  samples?: SampleChanges | undefined;
}

/** A new version of a template. Fields that are left out keep their values. */
export type TemplateChange = Pick<TemplateDraft, 'html'> & Partial<TemplateDraft>;

/** A change of what is sent. `samples` and `assets` are changed one by one. An engine is sent only with HTML. */
export type TemplatePatch = Partial<Omit<TemplateDraft, 'assets'>> & {
  assets?: AssetChanges | undefined;
  /** The version that `@published` stands for. Null for none. */
  publishedVersion?: number | null | undefined;
};

/** The versions in which a change may be made. Without them, it is made in any. */
export type ExpectedVersions = readonly number[] | undefined;

export interface FillOptions {
  /** Maximum size of the HTML. */
  limitBytes: number;
  signal?: AbortSignal;
  /** Called with the total size of the assets before they are read. If it throws, filling stops with that error. */
  hold?: (bytes: number) => void;
  /** Whether the assets are returned without their content. Default: false. */
  hasNamesOnly?: boolean;
}

export interface FilledTemplate {
  html: string;
  /** Undefined for a text that is not saved. */
  version: number | undefined;
  assets: AssetFiles | undefined;
}

export interface TemplateFilter {
  metadata?: Metadata;
  /** Whether the templates belong to the key itself. */
  owned?: boolean;
}

/** A version of a template that a render uses. */
interface Version {
  name: string;
  engine: string;
  version: number;
  html: string;
  schema: string | null;
  /** Whether the version was named, and is not the current one whatever that is. */
  isPinned: boolean;
}

/** What a change is made to. */
interface Target {
  keyId: string;
  id: string;
  expected: ExpectedVersions;
  makesVersion: boolean;
}

type AlsoWrite = (template: Template, query: Query) => Promise<void>;

/** A version that is about to be filled. */
interface OpenTemplate extends Version {
  /** Then `name` and `html` are empty. */
  parsed?: ParsedTemplate;
  /** Its name in the cache. */
  slot: string;
  assets: TemplateAsset[];
}

/** A text that is not saved, or not yet. */
export interface UnsavedTemplate extends Pick<TemplateDraft, 'html' | 'engine'> {
  /** The version that it is a change of. */
  from: TemplateRef | undefined;
  /** The paths of files of that version that it does not have. */
  removed: ReadonlySet<string>;
}

/** The limits for the templates of one key. */
export interface TemplateLimits {
  maxTemplates: number;
  maxTemplateBytes: number;
}

/** How often a template and its parts are read until none of them was changed meanwhile. */
const READ_ATTEMPTS = 3;
/** The size of the cache of parsed templates, in characters of HTML. */
const CACHE_CHARACTERS = 32_000_000;
/** Estimated size of a parsed placeholder besides its text, in characters. */
const PLACEHOLDER_CHARACTERS = 100;

export class Templates {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #liquid: LiquidEngine;
  readonly #schemas: Schemas;
  readonly #assets: TemplateAssets;
  readonly #limits: TemplateLimits;
  readonly #parts: TemplateParts;
  readonly #cache = new ParsedCache();

  constructor(
    database: Database,
    clock: Clock,
    { liquid, schemas, assets }: { liquid: LiquidEngine; schemas: Schemas; assets: TemplateAssets },
    limits: TemplateLimits,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#liquid = liquid;
    this.#schemas = schemas;
    this.#assets = assets;
    this.#limits = limits;
    this.#parts = new TemplateParts(database);
  }

  /** `also` is written in the same transaction. Throws `template_error`, `template_limit`, `content_too_large`, `storage_failed`. */
  async create(owner: TemplateOwner, draft: TemplateDraft, also: AlsoWrite = async () => {}): Promise<Template> {
    const { keyId } = owner;
    const placeholders = await this.#findPaths(owner, draft);
    const checked = await this.#checkSamples(owner, draft);
    const now = this.#clock();
    const id = createId('tpl');
    const { name, engine, html, metadata, visibility = 'key', schema = null } = draft;
    const facts = { keyId, visibility, publishedVersion: null, createdAt: now, updatedAt: now };
    const template = { id, name, engine, version: 1, placeholders, metadata, ...facts, ...checked };
    const save = (assets: TemplateAsset[]) =>
      this.#database.transaction(async (query) => {
        await query
          .insertInto('templates')
          .values({
            id,
            key_id: keyId,
            name,
            engine,
            html,
            schema,
            bytes: sizeOf(html) + sizeOf(schema),
            version: 1,
            placeholders: JSON.stringify(placeholders),
            metadata: writeMetadata(metadata),
            shared_account_id: toSharedAccount(visibility, owner),
            created_at: now,
            updated_at: now,
          })
          .execute();
        await indexMetadata(query, 'template', template, metadata);
        await this.#assets.insert(query, { templateId: id, version: 1 }, keyId, assets);
        if (draft.samples) await writeSamples(query, { templateId: id, keyId }, draft.samples, true);
        await this.#requireRoom(keyId, query);
        await also(template, query);
      }, lockName(keyId));
    await this.#assets.saving(draft.assets ?? new Map(), save);
    await this.#database.flush();
    return template;
  }

  /**
   * Replaces a template with a new version. Throws `not_found`, `version_conflict`, `template_error`, `template_limit`,
   * `content_too_large`.
   */
  async replace(
    owner: TemplateOwner,
    id: string,
    { metadata, assets, samples, visibility, ...draft }: TemplateChange,
    expected?: ExpectedVersions,
  ): Promise<Template> {
    const { keyId } = owner;
    const current = await this.#findOwn(owner, id, expected); // before errors in the draft are reported
    const { engine } = { ...current, ...draft }; // stored together with the HTML, because another change may happen in between
    const placeholders = JSON.stringify(await this.#findPaths(owner, { ...draft, engine }));
    const checked = await this.#checkSamples(owner, { ...draft, samples }, current);
    const values = { engine, ...draft, placeholders, ...toColumns(owner, { metadata, visibility }) };
    const template = await this.#assets.saving(assets ?? new Map(), (written) =>
      this.#store({ keyId, id, expected, makesVersion: true }, values, async (template, query) => {
        if (metadata) await replaceInIndex(query, template);
        if (samples) await writeSamples(query, { templateId: id, keyId }, samples, true);
        const version = { templateId: id, version: template.version };
        if (assets) await this.#assets.insert(query, version, keyId, written);
        else await this.#assets.carryOver(query, version, keyId);
      }),
    );
    return { ...template, ...checked };
  }

  /**
   * Changes what is sent, in one new version unless only samples and the published version are changed. Throws like `replace`, and
   * `invalid_request` if the version to publish is not stored.
   */
  async update(owner: TemplateOwner, id: string, patch: TemplatePatch, expected?: ExpectedVersions): Promise<Template> {
    const { keyId } = owner;
    const { name, html, engine, metadata, visibility, assets = new Map(), schema, samples, publishedVersion } = patch;
    const current = await this.#findOwn(owner, id, expected);
    const text = html !== undefined && { html, engine: engine ?? current.engine };
    const placeholders = text && JSON.stringify(await this.#findPaths(owner, text));
    const checked = await this.#checkSamples(owner, patch, current, false);
    const makesVersion = makesNewVersion(patch);
    const values = {
      ...(name !== undefined && { name }),
      ...(text && { ...text, placeholders }),
      ...(schema !== undefined && { schema }),
      ...toColumns(owner, { metadata, visibility }),
      ...(publishedVersion !== undefined && { published_version: publishedVersion }),
    };
    const template = await this.#assets.saving(addedFiles(assets), (written) =>
      this.#store({ keyId, id, expected, makesVersion }, values, async (template, query) => {
        if (publishedVersion) await requireStored(query, { templateId: id, version: publishedVersion });
        if (metadata) await replaceInIndex(query, template);
        if (samples) await writeSamples(query, { templateId: id, keyId }, samples, false);
        if (!makesVersion) return;
        const version = { templateId: id, version: template.version };
        await this.#assets.carryOver(query, version, keyId, assets);
        await this.#assets.insert(query, version, keyId, written);
      }),
    );
    return { ...template, ...checked };
  }

  /** Makes a new version with or without a file at `path`. Throws like `replace`, and `not_found` if there is none to remove. */
  async changeAsset(
    owner: TemplateOwner,
    id: string,
    [path, file]: [path: string, file: AssetFile | undefined],
    expected?: ExpectedVersions,
  ): Promise<Template> {
    const { version } = await this.#findOwn(owner, id, expected);
    const has = (assets: TemplateAsset[]) => assets.some((asset) => asset.path === path);
    if (!file && !has(await this.#assets.list({ templateId: id, version }))) throw noSuchAsset();
    return this.update(owner, id, { assets: new Map([[path, file ?? null]]) }, expected);
  }

  /** The files of the current version. Throws `not_found`. */
  async assets(reader: TemplateOwner, id: string): Promise<TemplateAsset[]> {
    const { version } = await this.find(reader, id);
    return this.#assets.list({ templateId: id, version });
  }

  /** A file of the current version with a stream of its content. Throws `not_found` and `storage_failed`. */
  async asset(reader: TemplateOwner, id: string, path: string): Promise<TemplateAsset & { content: Readable }> {
    const { version } = await this.find(reader, id);
    return this.#assets.open({ templateId: id, version }, path);
  }

  /** Stores values, as a new version or in the current one. `also` is written in the same transaction. */
  async #store({ keyId, id, expected, makesVersion }: Target, values: object, also: AlsoWrite): Promise<Template> {
    const added = makesVersion ? 1 : 0;
    const done = await this.#database.transaction(async (query) => {
      if (makesVersion) await keepVersion(query, keyId, id);
      const updated = await query
        .updateTable('templates')
        .set((eb) => ({
          ...values,
          ...resize(values, eb),
          version: eb('version', '+', added),
          ...(makesVersion && { updated_at: this.#clock() }),
        }))
        .where('id', '=', id)
        .where('key_id', '=', keyId)
        .returning(SUMMARY)
        .executeTakeFirst();
      if (!updated) throw notFound();
      const template = toTemplate(updated);
      requireVersion({ version: template.version - added }, expected); // an error takes the change back
      await also(template, query);
      return { template, unnamed: await this.#makeRoom(keyId, id, query) };
    }, lockName(keyId));
    await this.#database.flush();
    await this.#assets.removeContent(done.unnamed);
    return done.template;
  }

  /** Removes versions beyond the limits. Returns the names of the content to remove. Throws `template_limit`. */
  async #makeRoom(keyId: string, id: string, query: Query): Promise<string[]> {
    await this.#requireRoom(keyId, query);
    const unnamed = await this.#assets.forget(query, await forgetOldVersions(query, id));
    return [...unnamed, ...(await this.#forgetForRoom(keyId, query))];
  }

  /** Removes the oldest versions until their HTML takes at most `maxTemplateBytes`, and so do their assets. */
  async #forgetForRoom(keyId: string, query: Query): Promise<string[]> {
    const { maxTemplateBytes } = this.#limits;
    const unnamed: string[] = [];
    for (;;) {
      const { current, all } = await this.#assets.countBytes(query, keyId);
      if (all - current <= maxTemplateBytes && (await countPastBytes(query, keyId, 'unpublished')) <= maxTemplateBytes)
        return unnamed;
      const forgotten = await forgetTheOldest(query, keyId);
      if (!forgotten.length) return unnamed;
      unnamed.push(...(await this.#assets.forget(query, forgotten)));
    }
  }

  /** Throws `not_found`, also for a template of another key that is not shared with the account. */
  async find(reader: TemplateOwner, id: string): Promise<TemplateWithHtml> {
    if (!isId(id)) throw notFound();
    const row = await this.#database.query
      .selectFrom('templates')
      .select([...SUMMARY, 'html', 'schema'])
      .where('id', '=', id)
      .where(readableBy(reader))
      .executeTakeFirst();
    if (!row) throw notFound();
    const { html, schema, ...summary } = row;
    return { ...toTemplate(summary), html, schema };
  }

  /** A template that is to be changed. Throws `not_found`, `not_owner` and `version_conflict`. */
  async #findOwn(owner: TemplateOwner, id: string, expected: ExpectedVersions): Promise<TemplateWithHtml> {
    const template = await this.find(owner, id);
    if (template.keyId !== owner.keyId)
      throw new ServiceError(
        'not_owner',
        'the template belongs to another key of the account, which alone can change or delete it',
      );
    requireVersion(template, expected);
    return template;
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

  async #listOwn({ keyId }: TemplateOwner, limit: number, { metadata }: TemplateFilter, after?: Position) {
    const owned = this.#database.query.selectFrom('templates').select(SUMMARY).where('key_id', '=', keyId);
    const having = havingMetadata(this.#database.query, owned, { kind: 'template', keyId, metadata });
    return readListPage(having.rows, { ...having, limit, after, toItem: toTemplate });
  }

  /** The templates of other keys. */
  async #listShared({ keyId, accountId }: TemplateOwner, limit: number, { metadata }: TemplateFilter, after?: Position) {
    const shared = this.#database.query
      .selectFrom('templates')
      .select(SUMMARY)
      .where('shared_account_id', '=', accountId)
      .where('key_id', '!=', keyId);
    return readListPage(shared, { limit, after, search: metadata && searchMetadata(metadata), toItem: toTemplate });
  }

  /** Deletes a template and the idempotency records of the requests that created it. Throws like `replace`. */
  async remove(owner: TemplateOwner, id: string, expected?: ExpectedVersions): Promise<void> {
    const { keyId } = owner;
    await this.#findOwn(owner, id, expected);
    const content = await this.#database.transaction(async (query) => {
      const unnamed = await this.#assets.forgetAll(query, keyId, id);
      await query.deleteFrom('template_samples').where('template_id', '=', id).where('key_id', '=', keyId).execute();
      await query.deleteFrom('template_versions').where('template_id', '=', id).where('key_id', '=', keyId).execute();
      const removed = await query
        .deleteFrom('templates')
        .where('id', '=', id)
        .where('key_id', '=', keyId)
        .returning('version')
        .executeTakeFirst();
      if (!removed) throw notFound();
      requireVersion(removed, expected); // an error takes the removal back
      await removeFromIndex(query, id);
      await query.deleteFrom('idempotency_keys').where('resource_id', '=', id).execute();
      return unnamed;
    }, lockName(keyId));
    this.#cache.forget(id);
    await this.#database.flush();
    await this.#assets.removeContent(content);
  }

  /**
   * Renders a template with data to HTML, and reads its assets. Throws `not_found`, `data_invalid`, `content_too_large`,
   * `template_error` and `storage_failed`.
   */
  async fill(
    reader: TemplateOwner,
    ref: TemplateRef,
    data: Record<string, unknown>,
    options: FillOptions,
  ): Promise<FilledTemplate> {
    const { templateId: id } = ref;
    if (!isId(id)) throw notFound('template_id: ');
    const { template, parts, versions } = await this.#withParts(reader, id, () => this.#open(reader, ref));
    const { engine, version, schema, parsed, slot } = template;
    const assets = versions.length ? await this.#assets.listAll([{ templateId: id, version }, ...versions]) : template.assets;
    await this.#requireValid(reader, { id, version, schema }, data, options.signal);
    const source = toSource(id, template, parts);
    const parse = () => parsed ?? this.#cache.keep(slot, template);
    const html = await this.#fillText(reader.accountId, engine, source, data, options, parse);
    return { ...(await this.#withFiles(html, assets, options)), version };
  }

  /** Renders a text that is not saved, with the schema and the files of the version that it changes, and with parts. Throws like `fill`. */
  async fillUnsaved(
    reader: TemplateOwner,
    { from, html, engine, removed }: UnsavedTemplate,
    data: Record<string, unknown>,
    options: FillOptions,
  ): Promise<FilledTemplate> {
    const { accountId } = reader;
    const stored = from && (await this.resolve(reader, from));
    if (stored) await this.#requireValid(reader, stored, data, options.signal);
    const root = {
      templateId: stored?.id ?? '',
      version: stored?.version ?? 0,
      name: '',
      engine,
      html,
      schema: null,
      isPinned: true,
    };
    const { parts, versions } = await this.#withParts(reader, root.templateId, async () => root);
    const files = stored ? (await this.#assets.list(root)).filter(({ path }) => !removed.has(path)) : [];
    const assets = await this.#assets.listAll(versions, files);
    const filled = await this.#fillText(accountId, engine, { key: `unsaved:${accountId}`, html, parts }, data, options);
    return { ...(await this.#withFiles(filled, assets, options)), version: undefined };
  }

  /** Checks data by the schema of a version. Throws `data_invalid`. */
  async #requireValid(
    { accountId }: TemplateOwner,
    { id, version, schema }: Pick<TemplateWithHtml, 'id' | 'version' | 'schema'>,
    data: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (schema !== null) await this.#schemas.check(accountId, `${id}:${version}`, schema, toJson(data), signal);
  }

  /** The work is queued under `owner`. */
  async #fillText(
    owner: string,
    engine: string,
    source: LiquidSource,
    data: Record<string, unknown>,
    { limitBytes, signal }: Pick<FillOptions, 'limitBytes' | 'signal'>,
    parse = () => parsePlaceholders(source.html),
  ): Promise<string> {
    if (engine === 'liquid') return this.#liquid.fill(owner, source, data, limitBytes, signal);
    return fillPlaceholders(parse(), data, limitBytes);
  }

  async #withFiles(
    html: string,
    assets: TemplateAsset[],
    { hold = () => {}, hasNamesOnly = false }: FillOptions,
  ): Promise<Omit<FilledTemplate, 'version'>> {
    if (!assets.length) return { html, assets: undefined };
    if (hasNamesOnly) return { html, assets: toNamedFiles(assets) };
    hold(assets.reduce((sum, { bytes }) => sum + bytes, 0));
    return { html, assets: await this.#assets.read(assets) };
  }

  /**
   * The version that a render uses, with the list of its files, which may be removed while it is filled. Without a version in `ref`, it
   * may be newer than the one that was named. Throws `not_found`.
   */
  async #open(reader: TemplateOwner, ref: TemplateRef): Promise<OpenTemplate> {
    const { templateId, version: pin } = ref;
    const isPinned = pin !== undefined;
    const named = await (isPinned ? this.#findPinned(reader, templateId, pin) : this.#findCurrent(reader, templateId));
    if ('past' in named) return this.#open(reader, { templateId, version: named.past });
    const slot = isPinned ? `${templateId}@${named.version}` : templateId;
    const cached = named.engine === 'placeholders' ? this.#cache.get(slot, named.version) : undefined;
    if (cached) return { ...named, slot, isPinned, name: '', html: '', schema: cached.schema, parsed: cached.parsed };
    const content = isPinned ? await this.#readExactly(templateId, named) : await this.find(reader, templateId);
    if (!content && pin === 'published') return this.#open(reader, ref); // another version has just been published
    if (!content) throw noSuchVersion(templateId, named.version, 'template_id: ');
    const { name, engine, version, html, schema } = content;
    const assets = version === named.version ? named.assets : await this.#assets.list({ templateId, version });
    return { name, engine, version, html, schema, slot, isPinned, assets };
  }

  /** The current version, or the number of an earlier one that `reader` renders. */
  async #findCurrent(reader: TemplateOwner, id: string) {
    const current = await this.#assets.current(reader, id);
    if (!current) throw notFound('template_id: ');
    if (reader.asOf === undefined || current.updatedAt <= reader.asOf) return current;
    const past = await findVersionAsOf(this.#database.query, id, reader.asOf);
    return past === undefined ? current : { past };
  }

  async #findPinned(reader: TemplateOwner, id: string, pin: number | 'published') {
    const found = await this.#assets.pinned(reader, id, pin);
    if (!found) throw notFound('template_id: ');
    const { engine, version, assets } = found;
    if (engine === null || version === null) throw noSuchVersion(id, version, 'template_id: ');
    return { engine, version, assets };
  }

  async #readExactly(templateId: string, named: { engine: string; version: number }) {
    const content = await readContent(this.#database.query, { templateId, version: named.version });
    return content && { ...named, ...content };
  }

  /** Reads a template and its parts as they were at one moment. */
  async #withParts<T extends Version>(
    reader: TemplateOwner,
    templateId: string,
    read: () => Promise<T>,
  ): Promise<Parts & { template: T }> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const template = await read();
      if (template.engine !== 'liquid') return { template, parts: [], versions: [] };
      const { version, html, isPinned } = template;
      const parts = await this.#parts.read(reader, { templateId, version, html, isPinned });
      if (parts) return { template, ...parts };
    }
    throw new ServiceError('template_error', 'the template or its parts were changed several times while they were read');
  }

  /** The version that a render uses, with the paths that it and its parts read. Throws `not_found` and `template_error`. */
  async describe(reader: TemplateOwner, ref: TemplateRef): Promise<Template> {
    const { templateId, version } = ref;
    const resolve = async () => ({ ...(await this.resolve(reader, ref)), isPinned: version !== undefined });
    const { template, parts } = await this.#withParts(reader, templateId, resolve);
    if (!parts.length) return template;
    const { paths } = await this.#liquid.parse(reader.accountId, toSource(templateId, template, parts));
    return { ...template, placeholders: checkPaths(paths) };
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
    return this.#fillText(owner, engine, { key: `once:${owner}`, html }, data, { limitBytes, signal });
  }

  /** Prevents one key from filling the disk. Called after the change in its transaction, which an error rolls back. */
  async #requireRoom(keyId: string, query: Query): Promise<void> {
    const { maxTemplates, maxTemplateBytes } = this.#limits;
    const { count, bytes } = await readTotal(query.selectFrom('templates').where('key_id', '=', keyId));
    if (count > maxTemplates) throw limitReached(`at most ${maxTemplates} templates`, maxTemplates);
    const { current } = await this.#assets.countBytes(query, keyId);
    const published = await countPastBytes(query, keyId, 'published');
    const samples = (await readTotal(query.selectFrom('template_samples').where('key_id', '=', keyId))).bytes;
    if (bytes + published + samples + current > maxTemplateBytes)
      throw limitReached(`at most ${maxTemplateBytes} bytes of templates with their files and samples`, maxTemplateBytes);
  }

  /**
   * Checks the samples that will be stored by the schema that will be, if either is sent. Throws `invalid_request` for a schema that is
   * not valid.
   */
  async #checkSamples(
    { accountId }: TemplateOwner,
    { schema, samples }: Pick<TemplateDraft, 'schema' | 'samples'>,
    current?: TemplateWithHtml,
    replacesAll = true,
  ): Promise<Pick<Template, 'warnings'>> {
    const valid = schema === undefined ? current?.schema : schema;
    if (!valid || (schema === undefined && !samples)) return {};
    const stays = current && !(samples && replacesAll) ? await readSamples(this.#database.query, current.id) : [];
    return { warnings: await this.#schemas.compile(accountId, valid, new Map([...stays, ...(samples ?? [])])) };
  }

  async #findPaths({ accountId }: TemplateOwner, { html, engine }: Pick<TemplateDraft, 'html' | 'engine'>): Promise<string[]> {
    return checkPaths(
      engine === 'liquid' ? (await this.#liquid.parse(accountId, { key: '', html })).paths : parsePlaceholders(html).paths,
    );
  }
}

interface CacheEntry {
  version: number;
  parsed: ParsedTemplate;
  schema: string | null;
  size: number;
}

/**
 * A cache of the most recently used parsed templates, up to a number of characters. The name of an entry is the id of its template,
 * or that and a version that a render named.
 */
class ParsedCache {
  readonly #entries = new Map<string, CacheEntry>();
  #size = 0;

  get(name: string, version: number): CacheEntry | undefined {
    const entry = this.#entries.get(name);
    if (entry?.version !== version) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, entry); // the most recently used are at the end
    return entry;
  }

  keep(name: string, { version, html, schema }: Pick<TemplateWithHtml, 'version' | 'html' | 'schema'>): ParsedTemplate {
    this.#forget(name);
    const parsed = parsePlaceholders(html);
    const size = html.length + (schema?.length ?? 0) + PLACEHOLDER_CHARACTERS * parsed.order.length;
    this.#entries.set(name, { version, parsed, schema, size });
    this.#size += size;
    for (const [oldest] of this.#entries) {
      if (this.#size <= CACHE_CHARACTERS) break;
      this.#forget(oldest);
    }
    return parsed;
  }

  /** Forgets all entries of a template. */
  forget(id: string): void {
    for (const name of this.#entries.keys()) if (name === id || name.startsWith(`${id}@`)) this.#forget(name);
  }

  #forget(name: string): void {
    this.#size -= this.#entries.get(name)?.size ?? 0;
    this.#entries.delete(name);
  }
}

/** Whether a change makes a new version. */
export function makesNewVersion({ name, html, metadata, visibility, assets, schema }: TemplatePatch): boolean {
  return [name, html, metadata, visibility, assets, schema].some((each) => each !== undefined);
}

function addedFiles(changes: AssetChanges): AssetFiles {
  return new Map([...changes].filter((change): change is [string, AssetFile] => change[1] !== null));
}

function sizeOf(text: string | null | undefined): number {
  return Buffer.byteLength(text ?? '');
}

interface Sized {
  html?: string;
  schema?: string | null;
}

/** The size of the HTML and the schema together. What is not sent is measured by the database. */
function resize({ html, schema }: Sized, eb: Condition<'templates'>) {
  if (html === undefined && schema === undefined) return {};
  const sent = sizeOf(html) + sizeOf(schema);
  if (html !== undefined && schema !== undefined) return { bytes: sent };
  const kept = eb.fn<number>('octet_length', [html === undefined ? 'html' : 'schema']);
  return { bytes: eb(eb.fn.coalesce(kept, eb.lit(0)), '+', sent) };
}

/** Throws `invalid_request` if the version to publish is not stored. */
async function requireStored(query: Query, version: VersionOf): Promise<void> {
  if (await readContent(query, version)) return;
  const list = `GET /v1/templates/${version.templateId}/versions`;
  throw invalidField('published_version', `is not stored: ${list} lists the versions that are`);
}

async function replaceInIndex(query: Query, template: Template): Promise<void> {
  await removeFromIndex(query, template.id);
  await indexMetadata(query, 'template', template, template.metadata);
}

interface TemplateProperties {
  metadata: Metadata | undefined;
  visibility: Visibility | undefined;
}

/** The columns of what belongs to a template and not to its versions. */
function toColumns(owner: TemplateOwner, { metadata, visibility }: TemplateProperties) {
  return {
    ...(metadata && { metadata: writeMetadata(metadata) }),
    ...(visibility && { shared_account_id: toSharedAccount(visibility, owner) }),
  };
}

function toSource(
  id: string,
  { version, name, html }: Pick<Version, 'version' | 'name' | 'html'>,
  parts: LiquidSource['parts'],
): LiquidSource {
  return { key: `${id}:${version}`, name, html, ...(parts && { parts }) };
}

/** Changes to the templates of one key run one after the other, because limits and versions depend on the other rows. */
function lockName(keyId: string): string {
  return `templates ${keyId}`;
}

function requireVersion({ version }: { version: number }, expected: ExpectedVersions): void {
  if (!expected || expected.includes(version)) return;
  throw new ServiceError('version_conflict', `the template has changed: its current version is ${version}`, {
    members: { version },
  });
}

function limitReached(what: string, limit: number): ServiceError {
  return new ServiceError('template_limit', `a key may have ${what}; delete templates that you no longer need`, {
    members: { limit },
  });
}

function notFound(field = ''): ServiceError {
  return new ServiceError('not_found', `${field}there is no such template, or it belongs to another key`);
}

/** `version` is null if `@published` was asked for and no version is published. */
function noSuchVersion(id: string, version: number | null, field = ''): ServiceError {
  const detail =
    version === null
      ? `no version of the template is published: PATCH /v1/templates/${id} publishes one`
      : `version ${version} of the template is not stored: GET /v1/templates/${id}/versions lists the versions that are`;
  return new ServiceError('not_found', field + detail);
}
