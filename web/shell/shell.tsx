/** The application: the editor or the dashboard, whichever the URL names. The other one is loaded when it is visited. */
import { type ComponentType, render } from 'preact';
import { lazyPage } from './lazy-page.tsx';
import { type Area, route, startRouting } from './route.ts';

/** `First` is the part that the visitor came for. */
export function startShell(first: Area, First: ComponentType): void {
  const areas: Record<Area, ComponentType> = {
    editor: lazyPage('the editor', async () => (await import('../playground/editor.tsx')).Editor),
    dashboard: lazyPage('the dashboard', async () => (await import('../dashboard/app.tsx')).App),
    [first]: First,
  };
  startRouting();
  const app = document.getElementById('app');
  if (app) render(<Shell areas={areas} titles={{ ...TITLES, [first]: document.title }} />, app);
}

function Shell({ areas, titles }: { areas: Record<Area, ComponentType>; titles: Record<Area, string> }) {
  const { area, arrival } = route.value;
  const Shown = areas[area];
  document.documentElement.dataset.area = area;
  document.title = titles[area];
  return <Shown key={area === 'editor' ? arrival : area} />;
}

const TITLES: Record<Area, string> = { editor: 'Playground · Platen', dashboard: 'Dashboard · Platen' };
