/** Something read from the API for a component: what came, what went wrong, and reading it again. */
import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  value: T | undefined;
  fault: unknown;
  loading: boolean;
  reload(): void;
  /** Changes what was read, when the page knows better. */
  setValue(change: (value: T | undefined) => T | undefined): void;
}

/** Reads again whenever one of `inputs` changes; what is under way then is aborted. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [value, setValue] = useState<T | undefined>();
  const [fault, setFault] = useState<unknown>();
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    setLoading(true);
    load(left.signal)
      .then((came) => {
        if (left.signal.aborted) return;
        setValue(() => came);
        setFault(undefined);
      })
      .catch((error: unknown) => {
        if (!left.signal.aborted && !isAbort(error)) setFault(error);
      })
      .finally(() => {
        if (!left.signal.aborted) setLoading(false);
      });
    return () => left.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  return { value, fault, loading, reload, setValue };
}

/** The request was given up by the page itself: nothing to tell. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
