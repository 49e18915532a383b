/** Answers the questions of the service. */
import { answers } from './answers.ts';
import type { Questions } from './contract/questions.ts';

/** Returns an answer that can be sent as JSON, or a promise of one. It is never undefined, by which the service knows that it was asked. */
export function ask(name: string, args: unknown[]): unknown {
  const answer = answers[name as keyof Questions] as (...args: unknown[]) => unknown;
  return answer(...args) ?? null;
}
