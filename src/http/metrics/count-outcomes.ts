/** Counts how a render ended in the metrics: its result, or the code of its error. */
import type { ErrorCode } from '../../errors.ts';
import type { Delivery } from '../../render/render.ts';
import { toServiceError } from '../server/problem.ts';
import type { Metrics } from './metrics.ts';

export async function countOutcome<T>(
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

/** Counts a render that is charged. */
export function countDelivery({ delivered, renderFailed }: Metrics, render: () => Promise<Delivery>): Promise<Delivery> {
  return countOutcome(render, { succeeded: delivered, failed: renderFailed });
}
