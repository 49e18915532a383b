/** One field of a request, with the words of its documentation. */
import { type TSchema, Type } from 'typebox';

/** `expected` is what the error of a wrong value says: "must be ...". */
export function option<S extends TSchema>(schema: S, expected: string, description: string, example: unknown) {
  return Type.Optional({ ...schema, expected, description, examples: [example] } as S);
}

export function oneOf<const T extends readonly string[]>(names: T) {
  return Type.Union(names.map((name) => Type.Literal(name as T[number])));
}
