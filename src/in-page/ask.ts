/** Answers the questions of the service. */
import { answers } from './answers.ts';
import type { Questions } from './contract/questions.ts';

/**
 * Returns an answer that can be sent as JSON, or a promise of one. It is undefined only without the secret, by which the service knows that it
 * was asked.
 */
export function ask(secret: string, name: string, args: unknown[]): unknown {
  if (secret !== SETTINGS.secret) return undefined; // a script of the document asks
  const answer = answers[name as keyof Questions] as (...args: unknown[]) => unknown;
  return answer(...args) ?? null;
}
