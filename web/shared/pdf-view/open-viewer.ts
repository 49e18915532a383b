/** Loads the viewer when there is a PDF to show. */
import { signal } from '@preact/signals';
import type { Viewer } from './viewer.ts';

export const viewer = signal<Viewer | undefined>(undefined);
