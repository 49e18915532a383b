/** Fills stored templates, and texts that are not saved, with data. */
import { ServiceError } from '../errors.ts';
import { isId } from '../ids.ts';
import type { Database } from '../storage/database.ts';
import { type AssetFiles, type TemplateAsset, type TemplateAssets, toNamedFiles } from './assets.ts';
import { type LiquidEngine, toJson } from './liquid/liquid.ts';
import type { LiquidSource } from './liquid/messages.ts';
import { ParsedCache } from './parsed-cache.ts';
import { type Parts, TemplateParts } from './parts.ts';
import { checkPaths, fillPlaceholders, type ParsedTemplate, parsePlaceholders } from './placeholders.ts';
import type { Schemas } from './schemas.ts';
import type { StoredTemplates } from './stored-templates.ts';
import {
  type EngineName,
  noSuchTemplate,
  noSuchVersion,
  type Template,
  type TemplateOwner,
  type TemplateRef,
  type TemplateWithHtml,
} from './template.ts';
import { findVersionAsOf, readContent } from './versions.ts';

/** What templates are read, checked and filled with. */
export interface FillerServices {
  stored: StoredTemplates;
  liquid: LiquidEngine;
  schemas: Schemas;
  assets: TemplateAssets;
}

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

/** A text that is not saved, or not yet. */
export interface UnsavedTemplate {
  html: string;
  engine: EngineName;
  /** The version that it is a change of. */
  from: TemplateRef | undefined;
  /** The paths of files of that version that it does not have. */
  removed: ReadonlySet<string>;
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

/** A version that is about to be filled. */
interface OpenTemplate extends Version {
  /** Then `name` and `html` are empty. */
  parsed?: ParsedTemplate;
  /** Its name in the cache. */
  slot: string;
  assets: TemplateAsset[];
}

/** How often a template and its parts are read until none of them was changed meanwhile. */
const READ_ATTEMPTS = 3;

export class TemplateFiller {
  readonly #database: Database;
  readonly #stored: StoredTemplates;
  readonly #liquid: LiquidEngine;
  readonly #schemas: Schemas;
  readonly #assets: TemplateAssets;
  readonly #parts: TemplateParts;
  readonly #cache = new ParsedCache();

  constructor(database: Database, { stored, liquid, schemas, assets }: FillerServices) {
    this.#database = database;
    this.#stored = stored;
    this.#liquid = liquid;
    this.#schemas = schemas;
    this.#assets = assets;
    this.#parts = new TemplateParts(database);
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
    if (!isId(id)) throw noSuchTemplate('template_id: ');
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
    const stored = from && (await this.#stored.resolve(reader, from));
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
    const content = isPinned ? await this.#readExactly(templateId, named) : await this.#stored.find(reader, templateId);
    if (!content && pin === 'published') return this.#open(reader, ref); // another version has just been published
    if (!content) throw noSuchVersion(templateId, named.version, 'template_id: ');
    const { name, engine, version, html, schema } = content;
    const assets = version === named.version ? named.assets : await this.#assets.list({ templateId, version });
    return { name, engine, version, html, schema, slot, isPinned, assets };
  }

  /** The current version, or the number of an earlier one that `reader` renders. */
  async #findCurrent(reader: TemplateOwner, id: string) {
    const current = await this.#assets.current(reader, id);
    if (!current) throw noSuchTemplate('template_id: ');
    if (reader.asOf === undefined || current.updatedAt <= reader.asOf) return current;
    const past = await findVersionAsOf(this.#database.query, id, reader.asOf);
    return past === undefined ? current : { past };
  }

  async #findPinned(reader: TemplateOwner, id: string, pin: number | 'published') {
    const found = await this.#assets.pinned(reader, id, pin);
    if (!found) throw noSuchTemplate('template_id: ');
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
    const resolve = async () => ({ ...(await this.#stored.resolve(reader, ref)), isPinned: version !== undefined });
    const { template, parts } = await this.#withParts(reader, templateId, resolve);
    if (!parts.length) return template;
    const { paths } = await this.#liquid.parse(reader.accountId, toSource(templateId, template, parts));
    return { ...template, placeholders: checkPaths(paths) };
  }

  /** Renders a template that is not stored. The work is queued under `owner`. */
  async fillOnce(
    owner: string,
    { engine, html }: Pick<UnsavedTemplate, 'engine' | 'html'>,
    data: Record<string, unknown>,
    limitBytes: number,
    signal: AbortSignal,
  ): Promise<string> {
    // All unsaved templates share one cache key, so that they do not displace stored templates from the cache.
    return this.#fillText(owner, engine, { key: `once:${owner}`, html }, data, { limitBytes, signal });
  }

  /** Forgets a template that was deleted. */
  forget(id: string): void {
    this.#cache.forget(id);
  }
}

function toSource(
  id: string,
  { version, name, html }: Pick<Version, 'version' | 'name' | 'html'>,
  parts: LiquidSource['parts'],
): LiquidSource {
  return { key: `${id}:${version}`, name, html, ...(parts && { parts }) };
}
