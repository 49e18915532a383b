/**
 * Reads the templates that a Liquid template uses by name, directly or through others: a template in, its parts out, all as they were
 * at one moment.
 */
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { VersionOf } from './assets.ts';
import { type LiquidPart, MAX_DEPTH, MAX_PARTS } from './liquid/messages.ts';
import { findReferences, readReference } from './references.ts';
import { readableBy, type TemplateOwner } from './template.ts';
import { findVersionAsOf, readContent } from './versions.ts';

/** A part that was found, or why a template cannot use it. */
type Part = LiquidPart & { from?: VersionOf };

export interface Parts {
  parts: LiquidPart[];
  /** The versions of the templates that were read. */
  versions: VersionOf[];
}

/** The template that is rendered. `isPinned`: a version that was named, and not the current one whatever it is. */
interface Root extends VersionOf {
  html: string;
  isPinned: boolean;
}

interface Candidate {
  id: string;
  engine: string;
  version: number;
  published_version: number | null;
  updated_at: number;
}

/** The size of the HTML of all parts of a template together. */
const MAX_BYTES = 5_242_880;
/** Names per statement. */
const NAMES_AT_ONCE = 50;

export class TemplateParts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined if one of the templates was changed meanwhile. Throws `template_error` if the parts are too large. */
  async read(reader: TemplateOwner, root: Root): Promise<Parts | undefined> {
    const parts = new Map<string, Part>();
    let texts = [root.html];
    for (let depth = 0; texts.length && depth <= MAX_DEPTH; depth++) {
      const names = texts.flatMap((html) => [...findReferences(html)]);
      const wanted = [...new Set(names)].filter((name) => !parts.has(name)).slice(0, MAX_PARTS - parts.size);
      const found = await this.#readAll(reader, wanted, sizeOf(parts));
      for (const part of found) parts.set(part.name, part);
      texts = found.flatMap((part) => ('html' in part ? part.html : []));
    }
    if (!parts.size) return { parts: [], versions: [] };
    if (reader.asOf === undefined && !(await this.#areUnchanged(reader, root, [...parts.values()]))) return undefined;
    const found = [...parts.values()];
    return { parts: found.map(({ from: _, ...part }) => part), versions: found.flatMap(({ from }) => from ?? []) };
  }

  async #readAll(reader: TemplateOwner, names: string[], usedBytes: number): Promise<Part[]> {
    const candidates = await this.#choose(reader, names);
    const parts: Part[] = [];
    let bytes = usedBytes;
    for (const [name, candidate] of candidates) {
      const version = namedVersion(name, candidate) ?? (await this.#findVersion(reader, candidate));
      const part = await this.#readPart(name, candidate, version);
      bytes += 'html' in part ? Buffer.byteLength(part.html) : 0;
      if (bytes > MAX_BYTES)
        throw new ServiceError('template_error', `the parts of the template have more than ${MAX_BYTES} bytes together`);
      parts.push(part);
    }
    return parts;
  }

  /** The template that each name means: one of the key before one that is shared, then the oldest. */
  async #choose(reader: TemplateOwner, names: string[]): Promise<Map<string, Candidate>> {
    const chosen = new Map<string, Candidate>();
    for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
      const some = names.slice(start, start + NAMES_AT_ONCE);
      const rows = await this.#database.query
        .selectFrom('templates')
        .select(['id', 'key_id', 'name', 'engine', 'version', 'published_version', 'created_at', 'updated_at'])
        .where('name', 'in', [...new Set(some.map((name) => readReference(name).name))])
        .where(readableBy(reader))
        .execute();
      const isOwn = ({ key_id }: (typeof rows)[number]) => Number(key_id === reader.keyId);
      rows.sort((a, b) => isOwn(b) - isOwn(a) || a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
      for (const name of some) {
        const row = rows.find((each) => each.name === readReference(name).name);
        if (row) chosen.set(name, row);
      }
    }
    return chosen;
  }

  async #findVersion({ asOf }: TemplateOwner, { id, version, updated_at }: Candidate): Promise<number> {
    if (asOf === undefined || updated_at <= asOf) return version;
    return (await findVersionAsOf(this.#database.query, id, asOf)) ?? version;
  }

  async #readPart(name: string, { id: templateId, engine }: Candidate, version: number | 'none'): Promise<Part> {
    if (engine !== 'liquid') return { name, problem: 'the template has another engine than liquid' };
    if (version === 'none') return { name, problem: 'no version of the template is published' };
    const from = { templateId, version };
    const row = await readContent(this.#database.query, from);
    if (!row) return { name, problem: 'this version is not stored' };
    return { name, key: `${templateId}:${version}`, html: row.html, from };
  }

  async #currentVersion(id: string): Promise<number | undefined> {
    const row = await this.#database.query.selectFrom('templates').select('version').where('id', '=', id).executeTakeFirst();
    return row?.version;
  }

  /** Whether all names mean the same versions as when they were read, which were then stored at the same time. */
  async #areUnchanged(reader: TemplateOwner, root: Root, parts: Part[]): Promise<boolean> {
    if (!root.isPinned && (await this.#currentVersion(root.templateId)) !== root.version) return false;
    const now = await this.#choose(
      reader,
      parts.map(({ name }) => name),
    );
    return parts.every(({ name, from }) => {
      const means = now.get(name);
      return !from || (means?.id === from.templateId && (namedVersion(name, means) ?? means.version) === from.version);
    });
  }
}

/** The version that a name asks for; undefined for the current one. */
function namedVersion(name: string, { published_version: published }: Candidate): number | 'none' | undefined {
  const { version } = readReference(name);
  return version === 'published' ? (published ?? 'none') : version;
}

function sizeOf(parts: Map<string, Part>): number {
  return [...parts.values()].reduce((sum, part) => sum + ('html' in part ? Buffer.byteLength(part.html) : 0), 0);
}
