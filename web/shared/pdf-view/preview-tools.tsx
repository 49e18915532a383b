/** Shows the page number and the zoom controls. */
import type { Signal } from '@preact/signals';
import { viewer } from './open-viewer.ts';
import type { Zoom } from './page-sizes.ts';
import { Tool } from './tool.tsx';

export const ZOOM_STEP = 1.2;
const PERCENTS = [50, 75, 100, 125, 150, 200, 300];

/** What is shown beside the pages. */
export type Beside = 'thumbnails' | 'contents' | undefined;

export function PreviewTools({ beside, finding }: { beside: Signal<Beside>; finding: Signal<boolean> }) {
  const toggle = (panel: Beside) => {
    beside.value = beside.value === panel ? undefined : panel;
  };
  const shown = viewer.value;
  return (
    <div class="preview-tools" role="toolbar" aria-label="Preview">
      <Tool icon="pages" label="Page thumbnails" pressed={beside.value === 'thumbnails'} onClick={() => toggle('thumbnails')} />
      <Tool
        icon="list"
        label="Outline and attachments"
        pressed={beside.value === 'contents'}
        onClick={() => toggle('contents')}
      />
      <PageNumber />
      <span class="space" />
      <Tool
        icon="find"
        label="Find in the PDF"
        pressed={finding.value}
        disabled={!shown}
        onClick={() => {
          finding.value = !finding.value;
        }}
      />
      <Tool icon="minus" label="Zoom out" disabled={!shown} onClick={() => shown?.step(1 / ZOOM_STEP)} />
      <ZoomChoice />
      <Tool icon="plus" label="Zoom in" disabled={!shown} onClick={() => shown?.step(ZOOM_STEP)} />
      <Tool icon="width" label="Fit width" pressed={shown?.zoom.value === 'width'} onClick={() => shown?.setZoom('width')} />
      <Tool icon="page" label="Fit page" pressed={shown?.zoom.value === 'page'} onClick={() => shown?.setZoom('page')} />
    </div>
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
