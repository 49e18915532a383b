/** Lets a `ServiceError` leave a thread or a process, where an error would lose its code and its members. */
import { type ErrorCode, ServiceError } from '../errors.ts';

export interface Refusal {
  refused: { code: ErrorCode; detail: string; members: Record<string, unknown> };
}

/** Call it where the work is done. */
export async function toRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message: detail, members } = error;
    return { refused: { code, detail, members } };
  }
}

/** Call it where the answer arrives. Throws the error of a refusal. */
export function unlessRefused<T extends object>(answer: T | Refusal): T {
  if (!('refused' in answer)) return answer;
  const { code, detail, members } = answer.refused;
  throw new ServiceError(code, detail, { members });
}
