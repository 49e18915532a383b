/** Keeps parsed templates. */
import { type ParsedTemplate, parsePlaceholders } from './placeholders.ts';
import type { TemplateWithHtml } from './template.ts';

/** The size of the cache of parsed templates, in characters of HTML. */
const CACHE_CHARACTERS = 32_000_000;
/** Estimated size of a parsed placeholder besides its text, in characters. */
const PLACEHOLDER_CHARACTERS = 100;

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
export class ParsedCache {
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
