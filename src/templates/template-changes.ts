/** Stores, changes and deletes the templates of a key. */
import type { Clock } from '../clock.ts';
import { invalidField, ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import { indexMetadata, type Metadata, removeFromIndex, writeMetadata } from '../storage/metadata.ts';
import type { Condition } from '../storage/tables.ts';
import { readTotal } from '../storage/totals.ts';
import {
  type AssetChanges,
  type AssetFile,
  type AssetFiles,
  noSuchAsset,
  type TemplateAsset,
  type TemplateAssets,
  type VersionOf,
} from './assets.ts';
import type { LiquidEngine } from './liquid/liquid.ts';
import { checkPaths, parsePlaceholders } from './placeholders.ts';
import { readSamples, type SampleChanges, writeSamples } from './samples.ts';
import type { Schemas } from './schemas.ts';
import type { StoredTemplates } from './stored-templates.ts';
import {
  type EngineName,
  noSuchTemplate,
  SUMMARY,
  sizeOf,
  type Template,
  type TemplateOwner,
  type TemplateWithHtml,
  toSharedAccount,
  toTemplate,
  type Visibility,
} from './template.ts';
import type { FillerServices, TemplateFiller } from './template-filler.ts';
import { countPastBytes, forgetOldVersions, forgetTheOldest, keepVersion, readContent } from './versions.ts';

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

/** The limits for the templates of one key. */
export interface TemplateLimits {
  maxTemplates: number;
  maxTemplateBytes: number;
}

/** What a change is made to. */
interface Target {
  keyId: string;
  id: string;
  expected: ExpectedVersions;
  makesVersion: boolean;
}

type AlsoWrite = (template: Template, query: Query) => Promise<void>;

interface TemplateServices extends FillerServices {
  filler: Pick<TemplateFiller, 'forget'>;
}

export class TemplateChanges {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #stored: StoredTemplates;
  readonly #filler: TemplateServices['filler'];
  readonly #liquid: LiquidEngine;
  readonly #schemas: Schemas;
  readonly #assets: TemplateAssets;
  readonly #limits: TemplateLimits;

  constructor(
    database: Database,
    clock: Clock,
    { stored, filler, liquid, schemas, assets }: TemplateServices,
    limits: TemplateLimits,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#stored = stored;
    this.#filler = filler;
    this.#liquid = liquid;
    this.#schemas = schemas;
    this.#assets = assets;
    this.#limits = limits;
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
      if (!removed) throw noSuchTemplate();
      requireVersion(removed, expected); // an error takes the removal back
      await removeFromIndex(query, id);
      await query.deleteFrom('idempotency_keys').where('resource_id', '=', id).execute();
      return unnamed;
    }, lockName(keyId));
    this.#filler.forget(id);
    await this.#database.flush();
    await this.#assets.removeContent(content);
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
      if (!updated) throw noSuchTemplate();
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

  /** A template that is to be changed. Throws `not_found`, `not_owner` and `version_conflict`. */
  async #findOwn(owner: TemplateOwner, id: string, expected: ExpectedVersions): Promise<TemplateWithHtml> {
    const template = await this.#stored.find(owner, id);
    if (template.keyId !== owner.keyId)
      throw new ServiceError(
        'not_owner',
        'the template belongs to another key of the account, which alone can change or delete it',
      );
    requireVersion(template, expected);
    return template;
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

/** Whether a change makes a new version. */
export function makesNewVersion({ name, html, metadata, visibility, assets, schema }: TemplatePatch): boolean {
  return [name, html, metadata, visibility, assets, schema].some((each) => each !== undefined);
}

function addedFiles(changes: AssetChanges): AssetFiles {
  return new Map([...changes].filter((change): change is [string, AssetFile] => change[1] !== null));
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
