/** The viewer, once there is something to show. */
import { signal } from '@preact/signals';
import type { Viewer } from './viewer.ts';

export const viewer = signal<Viewer | undefined>(undefined);
