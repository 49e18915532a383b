/** A labelled switch. */
interface SwitchProps {
  label: string;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
  /** Further classes of the label. */
  look?: string;
}

export function Switch({ label, checked, onChange, disabled, look = '' }: SwitchProps) {
  return (
    <label class={`check ${look}`}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
