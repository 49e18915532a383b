/** Builds the schemas of replies in the OpenAPI document, and of the ids that name an object in a path. */

export interface ById {
  Params: { id: string };
}

export const TIME = { type: 'string', format: 'date-time' };
export const TIME_OR_NULL = { type: ['string', 'null'], format: 'date-time' };

/** Why a request of the log failed. */
export const LOGGED_CAUSE = {
  $id: 'LoggedCause',
  type: 'object',
  additionalProperties: true,
  description:
    'Members of the error that are numbers or names from a list, such as `phase`; `fields` are those that were not valid.',
};

/** Describes `ById`, and the other parameters of a path. `prefix` begins the ids of such objects. */
export function pathId(object: string, prefix: string, others: Record<string, object> = {}) {
  return { type: 'object', properties: { id: { $id: `${object}IdParam`, ...idSchema(prefix) }, ...others } };
}

/** The id of the object of a record, which has two names: `id`, and one that says of what it is. */
export function idMembers<N extends string>(name: N, prefix: string) {
  return { id: { ...idSchema(prefix), description: `The same as \`${name}\`.` }, [name]: idSchema(prefix) } as Record<
    'id' | N,
    object
  >;
}

function idSchema(prefix: string) {
  return { type: 'string', examples: [`${prefix}_0123456789ABCDEFGHIJKL`] };
}

/** An object whose members are all required, except those in `optional`. `$id` is the name of its component. */
export function recordSchema<P extends Record<string, object>>($id: string, properties: P, optional: Array<keyof P> = []) {
  return { $id, type: 'object', required: Object.keys(properties).filter((name) => !optional.includes(name)), properties };
}

/** One page of a list, newest first. */
export function listSchema(item: { $id: string }) {
  return recordSchema(`${item.$id}List`, {
    data: { type: 'array', items: item },
    has_more: { type: 'boolean' },
    next_cursor: { $id: 'NextCursor', type: ['string', 'null'], description: 'Send it as `cursor` to get the next page.' },
  });
}

/** `name` makes it a component of the OpenAPI document, for a header of several replies. */
export function header(type: string, description: string, name?: string) {
  return { type, description, 'x-header': name };
}

/** The bytes of a file. OpenAPI 3.1 has replaced `format: binary`, but client generators support it. */
export function binary<T extends string>(type: T) {
  return { [type]: { schema: { type: 'string', format: 'binary' } } };
}

/** The body that reference pages show, and send when they are asked to try it. */
export function withExample<S extends object>(schema: S, example: object): S & { 'x-example': object } {
  return { ...schema, 'x-example': example };
}
