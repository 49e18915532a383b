/** A button with a text. */

interface ButtonProps {
  label: string;
  /** Further classes, such as `primary` or `danger small`. */
  look?: string;
  /** The accessible name, if it differs from the label. */
  name?: string | undefined;
  disabled?: boolean;
  /** Whether the button is switched on. Undefined for one that is no switch. */
  pressed?: boolean;
  onClick(): void;
}

export function Button({ label, look = '', name, disabled, pressed, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${look}`}
      aria-label={name}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={() => onClick()}
    >
      {label}
    </button>
  );
}
