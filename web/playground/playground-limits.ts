/** What the playground of this service allows. It is asked for when it is needed for the first time. */
import { signal } from '@preact/signals';
import type { Playground, PlaygroundLimits } from '../../clients/typescript/src/api.ts';
import { request } from '../shared/api.ts';

/** Undefined until the service has told. */
export const limits = signal<PlaygroundLimits | undefined>(undefined);

export function readLimits(): void {
  if (limits.peek()) return;
  request('/v1/playground')
    .then((response) => response.json())
    .then((told: Playground) => {
      limits.value = told.limits;
    })
    .catch(() => {}); // the service tells them again with an error
}
