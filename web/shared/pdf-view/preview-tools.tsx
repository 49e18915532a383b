/** Shows the page number and the zoom controls. */
import type { Signal } from '@preact/signals';
import { Icon, type IconName } from '../icon.tsx';
import { viewer } from './open-viewer.ts';
import type { Zoom } from './page-sizes.ts';

export const ZOOM_STEP = 1.2;
const PERCENTS = [50, 75, 100, 125, 150, 200, 300];

export function PreviewTools({ beside }: { beside: Signal<boolean> }) {
  const shown = viewer.value;
  return (
    <div class="preview-tools" role="toolbar" aria-label="Preview">
      <Tool
        icon="pages"
        label="Page thumbnails"
        pressed={beside.value}
        onClick={() => {
          beside.value = !beside.value;
        }}
      />
      <PageNumber />
      <span class="space" />
      <Tool icon="minus" label="Zoom out" disabled={!shown} onClick={() => shown?.step(1 / ZOOM_STEP)} />
      <ZoomChoice />
      <Tool icon="plus" label="Zoom in" disabled={!shown} onClick={() => shown?.step(ZOOM_STEP)} />
      <Tool icon="width" label="Fit width" pressed={shown?.zoom.value === 'width'} onClick={() => shown?.setZoom('width')} />
      <Tool icon="page" label="Fit page" pressed={shown?.zoom.value === 'page'} onClick={() => shown?.setZoom('page')} />
    </div>
  );
}

interface ToolProps {
  icon: IconName;
  label: string;
  onClick(): void;
  pressed?: boolean;
  disabled?: boolean;
}

function Tool({ icon, label, onClick, pressed, disabled }: ToolProps) {
  return (
    <button
      type="button"
      class="button quiet small tool"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function PageNumber() {
  const shown = viewer.value;
  const count = shown?.count.value ?? 0;
  if (!count) return null;
  return (
    <label class="page-number">
      <span class="page-word">Page</span>
      <input
        type="number"
        min={1}
        max={count}
        value={shown?.current.value ?? 1}
        onChange={({ currentTarget }) => shown?.goTo(currentTarget.valueAsNumber)}
      />
      <span>of {count}</span>
    </label>
  );
}

function ZoomChoice() {
  const shown = viewer.value;
  const percent = Math.round((shown?.scale.value ?? 1) * 100);
  const zoom = shown?.zoom.value ?? 'width';
  const value = typeof zoom === 'number' ? String(percent) : zoom;
  const choices = PERCENTS.includes(percent) ? PERCENTS : [...PERCENTS, percent].sort((a, b) => a - b);
  const choose = (text: string) => {
    const fits: Zoom | undefined = text === 'width' || text === 'page' ? text : undefined;
    shown?.setZoom(fits ?? Number(text) / 100);
  };
  return (
    <select
      class="zoom"
      aria-label="Zoom"
      value={value}
      disabled={!shown}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="width">{zoom === 'width' ? `Width · ${percent} %` : 'Fit width'}</option>
      <option value="page">{zoom === 'page' ? `Page · ${percent} %` : 'Fit page'}</option>
      {choices.map((choice) => (
        <option key={choice} value={String(choice)}>
          {choice} %
        </option>
      ))}
    </select>
  );
}
