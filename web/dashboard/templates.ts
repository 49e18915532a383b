/** The templates of the key, for choices and names. */
import { useLoaded } from './loaded.ts';
import type { List, TemplateRecord } from './records.ts';
import { read } from './session.ts';

/** At most 100, the newest. Empty until they are loaded, and for a key that may not read them. */
export function useTemplates(): TemplateRecord[] {
  const loaded = useLoaded((signal) => read<List<TemplateRecord>>('/v1/templates?limit=100', { signal }), []);
  return loaded.value?.data ?? [];
}
