/** Loads data from the API for a component, with its error and a way to load it again. */
import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  loading: boolean;
  reload(): void;
  /** Changes the loaded value, when the page knows a newer one. */
  setValue(change: (value: T | undefined) => T | undefined): void;
}

/** Loads again whenever one of `inputs` changes, and aborts the previous request. `before` is shown until the load has ended. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[], before?: T): Loaded<T> {
  const [value, setValue] = useState(() => before);
  const [error, setError] = useState<unknown>();
  const [loading, setLoading] = useState(true);
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    setLoading(true);
    if (before !== undefined) setValue(() => before);
    load(left.signal)
      .then((came) => {
        if (left.signal.aborted) return;
        setValue(() => came);
        setError(undefined);
      })
      .catch((error: unknown) => {
        if (!left.signal.aborted && !isAbort(error)) setError(error);
      })
      .finally(() => {
        if (!left.signal.aborted) setLoading(false);
      });
    return () => left.abort();
  }, [...inputs, reloads]);
  const reload = useCallback(() => setReloads((count) => count + 1), []);
  return { value, error, loading, reload, setValue };
}

/** Whether the page itself aborted the request, so that no error is shown. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
