/** Short messages at the edge of the window, which screen readers announce politely and which disappear by themselves. */
import { signal } from '@preact/signals';

const SHOWN_MS = 6_000;

interface Toast {
  id: number;
  text: string;
  action?: ToastAction | undefined;
}

export interface ToastAction {
  label: string;
  run(): void;
}

const toasts = signal<Toast[]>([]);
let last = 0;

export function showToast(text: string, action?: ToastAction): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, text, action }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }, SHOWN_MS);
}

function act(id: number, action: ToastAction): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
  action.run();
}

export function clearToasts(): void {
  toasts.value = [];
}

/** Render it once on every page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, action }) => (
        <div class="toast" key={id}>
          {text}
          {action && (
            <button type="button" onClick={() => act(id, action)}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
