/** The templates of the key, for choices and names. */
import { useRead } from './cached.ts';
import type { List, TemplateRecord } from './records.ts';

/** At most 100, the newest. Empty until they are loaded, and for a key that may not read them. */
export function useTemplates(): TemplateRecord[] {
  const loaded = useRead<List<TemplateRecord>>('/v1/templates?limit=100');
  return loaded.value?.data ?? [];
}
