/** Builds the input schemas of tools: the OpenAPI document of the service in, JSON Schemas without references out. */
import { type ApiAccess, callApi } from './api.ts';

type Node = Record<string, unknown>;

export interface InputSchema {
  type: 'object';
  properties: Record<string, object>;
  required?: string[];
  additionalProperties: false;
}

/** Returns the schemas of request bodies by their names in the OpenAPI document. Tools then describe the options of this service. */
export async function loadInputSchemas(access: ApiAccess): Promise<(name: string) => InputSchema> {
  const document = (await (await callApi(access, '/openapi.json')).json()) as Node;
  return (name) => toInputSchema(inline({ $ref: `#/components/schemas/${name}` }, document) as Node);
}

/** Clients accept only objects at the top, so the members of all alternatives are put together. */
function toInputSchema(schema: Node): InputSchema {
  const alternatives = (schema.oneOf ?? [schema]) as InputSchema[];
  const [{ required = [] }, ...others] = alternatives as [InputSchema, ...InputSchema[]];
  return {
    type: 'object',
    properties: Object.assign({}, ...alternatives.map(({ properties }) => properties)),
    ...(!others.length && required.length && { required }),
    additionalProperties: false,
  };
}

/** Replaces references by what they name, and leaves out extensions, which some clients refuse. */
function inline(value: unknown, document: Node): unknown {
  if (Array.isArray(value)) return value.map((each) => inline(each, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference, ...own } = value as Node;
  const named = typeof reference === 'string' ? (inline(resolve(reference, document), document) as Node) : {};
  const members = Object.entries(own).filter(([name]) => !name.startsWith('x-'));
  return { ...named, ...Object.fromEntries(members.map(([name, member]) => [name, inline(member, document)])) };
}

/** `reference` is a JSON pointer such as `#/components/schemas/Length`. */
function resolve(reference: string, document: Node): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce((node: unknown, step) => (node as Node | undefined)?.[step], document);
}
