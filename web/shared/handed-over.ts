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

/** Goes to the page that takes it. `visit` leads there within the same application. */
export function handOver(template: HandedOver, page: string, visit = (path: string) => location.assign(path)): void {
  store('sessionStorage', STORAGE_KEY, JSON.stringify(template));
  visit(page);
}

/** Returns what was handed over, once. */
export function takeHandedOver(): HandedOver | undefined {
  const stored = readStored('sessionStorage', STORAGE_KEY);
  removeStored('sessionStorage', STORAGE_KEY);
  return stored === null ? undefined : (JSON.parse(stored) as HandedOver);
}
