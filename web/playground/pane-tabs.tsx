/** The tabs of the page: those of the writing beside the preview, or all on narrow screens that show one pane at a time. */
import { chooseNeighbour } from '../shared/tabs.tsx';
import { draft } from './draft.ts';
import { listFiles } from './files/assets.ts';
import { opened } from './opened.ts';
import { PANES, type Pane, pane } from './panes.ts';
import { optionErrors } from './request-errors.ts';

export const PANE_LABELS: Record<Pane, string> = {
  edit: 'Edit',
  style: 'Style',
  files: 'Files',
  options: 'Options',
  preview: 'Preview',
};

export function PaneTabs() {
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the playground" onKeyDown={chooseNeighbour}>
      {PANES.map((name) => (
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
          {PANE_LABELS[name]}
          <Count of={name} />
        </button>
      ))}
    </div>
  );
}

/** How much is set in a pane that is not seen. */
function Count({ of }: { of: Pane }) {
  const { files, options } = draft.value;
  const count = { files: listFiles(opened.value?.files ?? [], files).length, options: Object.keys(options).length }[of as string];
  if (!count) return null;
  const isInvalid = of === 'options' && optionErrors.value.length > 0;
  return <span class={isInvalid ? 'count invalid' : 'count'}>{of === 'options' ? `${count} set` : count}</span>;
}
