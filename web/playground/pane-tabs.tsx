/** The tabs of the page: two beside the preview, or three on narrow screens that show one pane at a time. */
import { useRef } from 'preact/hooks';
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
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const tabs = [...(list.current?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])].filter((tab) => tab.offsetWidth);
    const at = tabs.indexOf(event.target as HTMLElement);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs.at(to % tabs.length);
    next?.click();
    next?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label="Parts of the playground" onKeyDown={onKeyDown}>
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
