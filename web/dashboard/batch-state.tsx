/** Shows the progress of a batch as text and as a bar. */

import { countText, numberText } from './format.ts';
import type { BatchSummary } from './records.ts';

const STATES: Record<BatchSummary['status'], string> = {
  queued: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

export function isEnded({ status }: BatchSummary): boolean {
  return status === 'completed' || status === 'cancelled';
}

export function stateText({ status }: BatchSummary): string {
  return STATES[status];
}

export function outcomeText({ total, succeeded, failed, cancelled = 0 }: BatchSummary): string {
  const parts = [`${numberText(succeeded)} of ${countText(total, 'item')} rendered`];
  if (failed) parts.push(`${numberText(failed)} failed`);
  if (cancelled) parts.push(`${numberText(cancelled)} cancelled`);
  return parts.join(', ');
}

/** One bar of three parts. The words beside it say the same. */
export function Bar({ batch }: { batch: BatchSummary }) {
  const { total, succeeded, failed, cancelled = 0 } = batch;
  const parts: Array<[kind: string, count: number]> = [
    ['good', succeeded],
    ['bad', failed],
    ['off', cancelled],
  ];
  let x = 0;
  return (
    <svg class="bar" viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" role="img" aria-label={outcomeText(batch)}>
      {parts.map(([kind, count]) => {
        const rect = <rect key={kind} class={kind} x={x} y="0" width={count} height="1" />;
        x += count;
        return rect;
      })}
    </svg>
  );
}
