/** One field of a request, with the words of its documentation. */
import { type TSchema, type TUnsafe, Type } from 'typebox';

/** `expected` is what the error of a wrong value says: "must be ...". */
export function option<S extends TSchema>(schema: S, expected: string, description: string, example: unknown) {
  return Type.Optional({ ...schema, expected, description, examples: [example] } as S);
}

/** The union of a mapped list has no type of its own. */
export function oneOf<const T extends readonly string[]>(names: T): TUnsafe<T[number]> {
  return Type.Union(names.map((name) => Type.Literal(name))) as TSchema as TUnsafe<T[number]>;
}
