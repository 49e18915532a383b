/** Finds the names of other templates in a Liquid template, and the version that a name asks for. */

export interface Reference {
  name: string;
  /** Undefined for the current version. */
  version: number | 'published' | undefined;
}

/** The longest name of a template, with a version. */
const REFERENCE = /\b(?:render|layout)\s*(?:'([^'\\{]{1,220})'|"([^"\\{]{1,220})")/g;
const VERSION = /@(?:(\d{1,9})|(published)|latest)$/;

/**
 * Finds what tags may refer to, in linear time. It also finds names in comments and in text, because what is missing is an error only if a
 * tag refers to it.
 */
export function findReferences(html: string): Set<string> {
  const found = new Set<string>();
  for (const [, single, double] of html.matchAll(REFERENCE)) found.add(single ?? double ?? '');
  return found;
}

/** Reads a name, `name@7`, `name@published` or `name@latest`. */
export function readReference(text: string): Reference {
  const found = VERSION.exec(text);
  if (!found?.index) return { name: text, version: undefined };
  const [, number, published] = found;
  const version = published ? 'published' : number === undefined ? undefined : Number(number);
  return { name: text.slice(0, found.index), version };
}
