/**
 * Finds rows whose text contains all words of a query, in any order and in any case. Databases agree only on the case of the letters a
 * to z, so the SQL selects rows by these, and `keep` compares the others.
 */
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.ts';

const ASCII = /^[\0-\x7f]*$/;

export interface WordSearch {
  where(eb: ExpressionBuilder<Tables, 'documents'>): ReturnType<ExpressionBuilder<Tables, 'documents'>['and']>;
  /** Undefined if the SQL has decided already. */
  keep: ((text: string) => boolean) | undefined;
}

export function searchWords(column: 'filename', query: string): WordSearch {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return {
    where: (eb) => eb.and(words.map((word) => containsAscii(column, word))),
    keep: words.every((word) => ASCII.test(word)) ? undefined : (text) => words.every((word) => fold(text).includes(word)),
  };
}

/** A letter may be stored in one character or, with its accent apart, in two. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function containsAscii(column: 'filename', word: string) {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&').replace(/[^\0-\x7f]+/g, '%')}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}
