/** Short news at the edge of the window, read aloud politely, gone by themselves. */
import { signal } from '@preact/signals';

const SHOWN_MS = 6_000;

interface Toast {
  id: number;
  text: string;
}

const toasts = signal<Toast[]>([]);
let last = 0;

export function tell(text: string): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, text }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }, SHOWN_MS);
}

export function forgetToasts(): void {
  toasts.value = [];
}

/** Once on every page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <div class="toast" key={id}>
          {text}
        </div>
      ))}
    </div>
  );
}
