/** Builds the schemas of replies in the OpenAPI document. */

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

/** A header of a reply. */
export function header(type: string, description: string) {
  return { type, description };
}

/** The bytes of a file. OpenAPI 3.1 has replaced `format: binary`, but client generators support it. */
export function binary<T extends string>(type: T) {
  return { [type]: { schema: { type: 'string', format: 'binary' } } };
}
