/** A filter of a list by template, which is found by words of its name. */
import { useEffect, useState } from 'preact/hooks';
import { type Filters, useSettled } from './filters.tsx';
import { useLoaded } from './loaded.ts';
import type { List, TemplateRecord } from './records.ts';
import { read } from './session.ts';

const OFFERED = 20;
/** A search may find nothing on its first page, because the service reads a limited number of templates for each. */
const MAX_PAGES = 5;

interface Choice {
  id: string;
  label: string;
}

export function TemplateFilter<Name extends string>({ filters }: { filters: Filters<Name | 'template'> }) {
  const { template: chosen } = filters.values;
  const [typed, setTyped] = useState<string>();
  const words = useSettled(typed ?? '');
  const choices = useLoaded((signal) => findTemplates(words, signal), [words]).value ?? [];
  const name = useLoaded((signal) => readName(chosen, signal), [chosen]).value ?? chosen;
  useEffect(() => {
    const id = typed && (readId(typed) ?? choices.find(({ label }) => label === typed)?.id);
    if (id === undefined) return;
    filters.change('template', id);
    setTyped(undefined);
  }, [typed, choices]);
  return (
    <div class="field grow">
      <label for="template">Template</label>
      <input
        id="template"
        type="search"
        list="templates"
        autocomplete="off"
        placeholder="Words of its name"
        value={typed ?? name}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setTyped(undefined)}
      />
      <datalist id="templates">
        {choices.map(({ id, label }) => (
          <option key={id} value={label} />
        ))}
      </datalist>
    </div>
  );
}

/** The id in a text, which may be alone or end a label. */
function readId(text: string): string | undefined {
  return /(?:^|\()(tpl_\w{22})\)?$/.exec(text)?.[1];
}

/** The newest that match. Those with equal names are told apart by their ids. */
async function findTemplates(words: string, signal: AbortSignal): Promise<Choice[]> {
  const query = new URLSearchParams({ limit: String(OFFERED), ...(words && { name: words }) });
  const found: TemplateRecord[] = [];
  for (let pages = 0; pages < MAX_PAGES && found.length < OFFERED; pages++) {
    const page = await read<List<TemplateRecord>>(`/v1/templates?${query}`, { signal });
    found.push(...page.data);
    if (page.next_cursor === null) break;
    query.set('cursor', page.next_cursor);
  }
  const isAlone = (name: string) => found.filter((each) => each.name === name).length === 1;
  return found.map(({ template_id: id, name }) => ({ id, label: name && isAlone(name) ? name : `${name} (${id})` }));
}

/** A template that is gone keeps its id as its name. */
async function readName(id: string, signal: AbortSignal): Promise<string> {
  if (id === '') return '';
  const { name } = await read<TemplateRecord>(`/v1/templates/${encodeURIComponent(id)}`, { signal });
  return name || id;
}
