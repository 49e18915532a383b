/** One visit of the editor: what it has begun ends when the visitor goes to another page of the application. */
import { effect } from '@preact/signals';

const ends = new Set<() => void>();
let hasEnded = false;

export function beginVisit(): void {
  hasEnded = false;
}

/** Whether the visitor has left the editor, which may still be opening. */
export function isOver(): boolean {
  return hasEnded;
}

export function atEnd(end: () => void): void {
  if (hasEnded) end();
  else ends.add(end);
}

export function watch(run: () => void): void {
  atEnd(effect(run));
}

export function listen(type: string, listener: (event: Event) => void): void {
  addEventListener(type, listener);
  atEnd(() => removeEventListener(type, listener));
}

export function endVisit(): void {
  hasEnded = true;
  for (const end of ends) end();
  ends.clear();
}
