/** Shows a picture of the first page until the viewer, which is ten times as large, is loaded and shows the PDF. */
import { useRef, useState } from 'preact/hooks';

/** The viewer is loaded after this time also if the picture has not arrived. */
const MAX_WAIT_MS = 8_000;

interface Picture {
  /** Its URL while it is to be shown. */
  shown: string | undefined;
  /** Resolves when it can be seen, or will not be. */
  seen(): Promise<void>;
  /** Call it when it is painted, or has failed. */
  onSettled(): void;
  /** Call it when the PDF itself is shown. */
  end(): void;
}

/** Of several pictures, only the first is shown: the viewer is there for the others. */
export function usePicture(url: string | undefined): Picture {
  const [ended, setEnded] = useState(false);
  const settled = useRef(Promise.withResolvers<void>());
  const first = useRef<string>(undefined);
  first.current ??= url;
  const onSettled = settled.current.resolve;
  return {
    shown: ended ? undefined : first.current,
    seen: async () => {
      if (ended || first.current === undefined) return;
      const timer = setTimeout(onSettled, MAX_WAIT_MS);
      await settled.current.promise;
      clearTimeout(timer);
    },
    onSettled,
    end: () => setEnded(true),
  };
}

export function FirstPicture({ shown, onSettled }: Picture) {
  return (
    <img
      class="first-picture"
      src={shown}
      alt="Page 1"
      onLoad={({ currentTarget }) => void currentTarget.decode().then(() => requestAnimationFrame(() => onSettled()), onSettled)}
      onError={onSettled}
    />
  );
}
