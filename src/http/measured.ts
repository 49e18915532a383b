/** Counts how a render ended in the metrics: its result, or the code of its error. */
import type { ErrorCode } from '../errors.ts';
import { toServiceError } from './problem.ts';

export async function measured<T>(
  render: () => Promise<T>,
  outcome: { succeeded(result: T): void; failed(code: ErrorCode): void },
): Promise<T> {
  try {
    const result = await render();
    outcome.succeeded(result);
    return result;
  } catch (error) {
    outcome.failed(toServiceError(error).code);
    throw error;
  }
}
