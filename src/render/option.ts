/** The keywords of one field of a request: they document it for the reference, the OpenAPI document and the playground's form. */
import { type TSchema, type TUnsafe, Type } from 'typebox';

export interface Keywords {
  /** What the error about a wrong value says after "must be". */
  expected?: string;
  description?: string;
  examples?: unknown[];
  /** The value that has the same effect as sending none. */
  default?: unknown;
  /** What happens when the field is not sent, in words, where no single value says it. */
  'x-default'?: string;
  /** The unit of a number, such as `ms`. */
  'x-unit'?: string;
  /** The values that are valid in any case of letters, where the schema itself cannot list them. */
  'x-values'?: readonly string[];
  contentMediaType?: string;
  contentEncoding?: string;
}

export function option<S extends TSchema>(schema: S, keywords: Keywords) {
  return Type.Optional({ ...schema, ...keywords } as S);
}

/** The union of a mapped list has no type of its own. */
export function oneOf<const T extends readonly string[]>(names: T): TUnsafe<T[number]> {
  const expected = `one of ${names.join(', ')}`;
  return Type.Union(
    names.map((name) => Type.Literal(name)),
    { expected },
  ) as TSchema as TUnsafe<T[number]>;
}
