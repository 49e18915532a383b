/** A modal dialog. It uses the element of the browser, which keeps and restores the focus and closes on Escape. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface DialogProps {
  title: string;
  onClose(): void;
  /** Whether it may be as wide as the window. */
  wide?: boolean;
  children: ComponentChildren;
}

/** The dialog is open as long as it is rendered. */
export function Dialog({ title, onClose, wide, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class={wide ? 'wide' : undefined} aria-labelledby={heading} onClose={onClose}>
      <div class="dialog-body">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
