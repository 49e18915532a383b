/** The keywords of one field of a request: they document it for the reference, the OpenAPI document and the playground's form. */
import { type TSchema, type TSchemaOptions, type TUnsafe, Type } from 'typebox';

export interface Keywords {
  /** The name of the component in the OpenAPI document. */
  $id?: string;
  /** What the error about a wrong value says after "must be". */
  expected?: string;
  description?: string;
  examples?: unknown[];
  /** The value that has the same effect as sending none. */
  default?: unknown;
  /** What happens when the field is not sent, in words, if no single value has the same effect. */
  'x-default'?: string;
  /** The unit of a number, such as `ms`. */
  'x-unit'?: string;
  /** Valid values, matched without regard to case, if the schema itself cannot list them. */
  'x-values'?: readonly string[];
  contentMediaType?: string;
  contentEncoding?: string;
}

export function option<S extends TSchema>(schema: S, keywords: Keywords) {
  return Type.Optional({ ...schema, ...keywords } as S);
}

export const YES_OR_NO = 'true or false';

/** An option that is true or false. The other value than the default is its example. */
export function flag(fallback: boolean, description: string, schema: TSchemaOptions = {}) {
  return option(Type.Boolean(schema), { expected: YES_OR_NO, description, default: fallback, examples: [!fallback] });
}

/** A union of the given names. The cast is needed because TypeScript cannot infer the type of a mapped list. */
export function oneOf<const T extends readonly string[]>(names: T): TUnsafe<T[number]> {
  const expected = `one of ${names.join(', ')}`;
  return Type.Union(
    names.map((name) => Type.Literal(name)),
    { expected },
  ) as TSchema as TUnsafe<T[number]>;
}
