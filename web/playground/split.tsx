/**
 * The divider between editors and preview, which can be dragged or moved with the arrow keys. Its position is kept in this
 * browser.
 */
import { signal } from '@preact/signals';
import { readStored, store } from '../shared/storage.ts';

const STORAGE_KEY = 'platen.playground.split';
const LEAST = 20;
const MOST = 80;
const STEP = 2;

/** The share of the width for the editors, in percent. */
export const split = signal(limitPercent(Number(readStored('localStorage', STORAGE_KEY) ?? 46)));

export function Divider() {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; a separator with a value can
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the editor"
      aria-valuenow={Math.round(split.value)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onKeyDown={onKeyDown}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={onPointerMove}
    />
  );
}

function onKeyDown(event: KeyboardEvent): void {
  const places: Record<string, number> = {
    ArrowLeft: split.value - STEP,
    ArrowRight: split.value + STEP,
    Home: LEAST,
    End: MOST,
  };
  const to = places[event.key];
  if (to === undefined) return;
  event.preventDefault();
  move(to);
}

function onPointerMove({ currentTarget, pointerId, clientX }: PointerEvent & { currentTarget: HTMLElement }): void {
  if (!currentTarget.hasPointerCapture(pointerId)) return;
  const { left = 0, width = 1 } = currentTarget.parentElement?.getBoundingClientRect() ?? {};
  move(((clientX - left) / width) * 100);
}

function move(to: number): void {
  split.value = limitPercent(to);
  store('localStorage', STORAGE_KEY, String(split.value));
}

function limitPercent(percent: number): number {
  return Math.min(MOST, Math.max(LEAST, percent || LEAST));
}
