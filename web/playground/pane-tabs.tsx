/** The tabs of the page: two beside the preview, or three on narrow screens that show one pane at a time. */
import { chooseNeighbour } from '../shared/tabs.tsx';
import { type Pane, pane } from './panes.ts';

const PANES: Array<{ name: Pane; label: string }> = [
  { name: 'edit', label: 'Edit' },
  { name: 'options', label: 'Options' },
  { name: 'preview', label: 'Preview' },
];

export function paneLabel(name: Pane): string {
  return PANES.find((known) => known.name === name)?.label ?? name;
}

export function PaneTabs({ count, invalid }: { count: number; invalid: boolean }) {
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the playground" onKeyDown={chooseNeighbour}>
      {PANES.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          role="tab"
          class={`to-${name}`}
          aria-selected={pane.value === name}
          tabIndex={pane.value === name ? 0 : -1}
          onClick={() => {
            pane.value = name;
          }}
        >
          {label}
          {name === 'options' && count > 0 && <span class={invalid ? 'count invalid' : 'count'}>{count} set</span>}
        </button>
      ))}
    </div>
  );
}
