/** The state of an action of the visitor: whether it is running, and its error. */
import { useRef, useState } from 'preact/hooks';
import { isAbort } from './loaded.ts';

export interface Action {
  running: boolean;
  error: unknown;
  /** Does nothing while the last action is running. */
  run(work: () => Promise<void>): Promise<void>;
  forgetError(): void;
}

export function useAction(): Action {
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const busy = useRef(false);
  const run = async (work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setRunning(true);
    setError(undefined);
    try {
      await work();
    } catch (error) {
      if (!isAbort(error)) setError(error);
    } finally {
      busy.current = false;
      setRunning(false);
    }
  };
  return { running, error, run, forgetError: () => setError(undefined) };
}
