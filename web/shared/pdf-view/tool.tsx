/** A button of the preview with an icon. */
import { Icon, type IconName } from '../icon.tsx';

interface ToolProps {
  icon: IconName;
  label: string;
  onClick(): void;
  pressed?: boolean;
  disabled?: boolean;
}

export function Tool({ icon, label, onClick, pressed, disabled }: ToolProps) {
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
