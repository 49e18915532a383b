/** What log lines say about why a request failed: an error in, members that hold no text of a document or of its data out. */
import type { FieldError, ServiceError } from '../errors.ts';

/** The parts of a JSON schema that lead to the fields in it. */
export interface FieldSchema {
  properties?: Record<string, FieldSchema>;
  items?: FieldSchema;
  anyOf?: FieldSchema[];
  allOf?: FieldSchema[];
}

/** Members whose values are numbers or names from a list: never a name, a URL or a text of the caller. */
export const FAILURE_MEMBERS = ['phase', 'timeout_ms', 'gate', 'net_error', 'upstream_status', 'line', 'column'];
const MAX_FIELDS = 10;
const STEP = /\[\d+\]|[^.[\]]+/g;

/** `schemas` describe the request. Paths of `invalid_request` are given up to the first name that is not in them. */
export function failureFields({ members }: ServiceError, schemas: FieldSchema[] = []): Record<string, unknown> {
  const told = Object.entries(members).filter(([name]) => FAILURE_MEMBERS.includes(name));
  const paths = ((members.errors ?? []) as FieldError[]).map(({ path }) => knownPart(path, schemas)).filter(Boolean);
  const fields = [...new Set(paths)].slice(0, MAX_FIELDS);
  return { ...Object.fromEntries(told), ...(fields.length && { fields }) };
}

/** The caller chooses the names of unknown members, of headers and of files, so that they could be data. */
function knownPart(path: string, schemas: FieldSchema[]): string {
  let [known, at] = ['', schemas];
  for (const [step] of path.matchAll(STEP)) {
    const isIndex = step.startsWith('[');
    at = at.flatMap(alternatives).flatMap(({ items, properties }) => (isIndex ? items : own(properties, step)) ?? []);
    if (!at.length) break;
    known += isIndex || !known ? step : `.${step}`;
  }
  return known;
}

function alternatives(schema: FieldSchema): FieldSchema[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(alternatives)];
}

function own(properties: FieldSchema['properties'], name: string): FieldSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
