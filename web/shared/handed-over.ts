/** Hands a template over between the playground and the dashboard, in the storage of the tab. */
import { readStored, removeStored, store } from './storage.ts';

export interface HandedOver {
  name: string;
  engine: 'placeholders' | 'liquid';
  html: string;
  /** The JSON text of its data. */
  data: string;
}

const STORAGE_KEY = 'platen.handed-over';

/** Goes to the page that takes it. */
export function handOver(template: HandedOver, page: string): void {
  store('sessionStorage', STORAGE_KEY, JSON.stringify(template));
  location.assign(page);
}

/** Returns what was handed over, once. */
export function takeHandedOver(): HandedOver | undefined {
  const stored = readStored('sessionStorage', STORAGE_KEY);
  removeStored('sessionStorage', STORAGE_KEY);
  return stored === null ? undefined : (JSON.parse(stored) as HandedOver);
}
