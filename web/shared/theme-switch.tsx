/** Switches between light, dark and the system's setting, for all pages. The choice is kept in this browser. */
import { signal } from '@preact/signals';
import { readStored, store } from './storage.ts';

const STORAGE_KEY = 'platen.theme';
const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const NAMES: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

const theme = signal<Theme>(readTheme());
show(theme.value);

export function ThemeSwitch() {
  return (
    <select
      class="theme-switch"
      aria-label="Colours"
      title="Colours"
      value={theme.value}
      onChange={(event) => choose(event.currentTarget.value as Theme)}
    >
      {THEMES.map((name) => (
        <option key={name} value={name}>
          {NAMES[name]}
        </option>
      ))}
    </select>
  );
}

function choose(chosen: Theme): void {
  theme.value = chosen;
  show(chosen);
  store('localStorage', STORAGE_KEY, chosen);
}

function show(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

function readTheme(): Theme {
  const kept = readStored('localStorage', STORAGE_KEY);
  return THEMES.find((name) => name === kept) ?? 'system';
}
