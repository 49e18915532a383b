/** Accessible tabs: arrow keys move between them, and each panel is labelled by its tab. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Tab<Name extends string> {
  name: Name;
  label: string;
}

export interface TabsProps<Name extends string> {
  label: string;
  tabs: Array<Tab<Name>>;
  chosen: Name;
  onChoose(name: Name): void;
  /** The content of the chosen tab. */
  children: ComponentChildren;
}

export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) {
  const id = useId();
  return (
    <div class="tabbed">
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={chooseNeighbour}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={tab.name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.name === chosen ? 0 : -1}
            onClick={() => onChoose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} class="tab-panel">
        {children}
      </div>
    </div>
  );
}

/** Chooses another tab of the list, for an arrow key, Home and End. */
export function chooseNeighbour(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')].filter((tab) => tab.offsetWidth);
  const at = tabs.indexOf(event.target as HTMLElement);
  const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  const to = steps[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = tabs.at(to % tabs.length);
  next?.click();
  next?.focus();
}
