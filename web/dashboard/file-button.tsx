/** Asks for files. The same file can be chosen again after it was changed. */
import { useRef } from 'preact/hooks';

interface FileButtonProps {
  label: string;
  /** The accessible name, if it differs from the label. */
  name?: string;
  disabled: boolean;
  multiple?: boolean;
  /** The media type of the files. Default: any. */
  accept?: string;
  onChosen(files: File[]): void;
}

export function FileButton({ label, name = label, disabled, multiple = false, accept, onChosen }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class={multiple ? 'button' : 'button small'}
        aria-label={name}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={multiple}
        accept={accept}
        onChange={({ currentTarget }) => {
          onChosen([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}
