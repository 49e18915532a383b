/** Reads of the API that a page shows at once if the session had them before, while they are read again. */
import { ProblemError } from '../shared/api.ts';
import { type Loaded, useLoaded } from './loaded.ts';
import { read, session } from './session.ts';

const MOST_KEPT = 100;
/** The key may not read it any more, or it does not exist. */
const GONE = [403, 404, 410];

/**
 * Reads the JSON of a path. Until it has come, the value is what was kept. `combine` makes the value from both.
 * Use it for what is shown, not for what the visitor edits.
 */
export function useRead<T>(path: string, combine = (fresh: T, _kept: T | undefined): T => fresh): Loaded<T> {
  const kept = session.peek()?.cache ?? new Map<string, unknown>();
  const loaded: Loaded<T> = useLoaded(
    async (signal) => {
      try {
        const fresh = await read<T>(path, { signal, headers: { accept: 'application/json' } });
        return keep(kept, path, combine(fresh, kept.get(path) as T | undefined));
      } catch (error) {
        if (isGone(error)) {
          kept.delete(path);
          if (!signal.aborted) loaded.setValue(() => undefined);
        }
        throw error;
      }
    },
    [path],
    kept.get(path) as T | undefined,
  );
  const setValue: Loaded<T>['setValue'] = (change) => loaded.setValue((now) => keep(kept, path, change(now)));
  return { ...loaded, setValue };
}

/** The oldest are forgotten first. */
function keep<T>(kept: Map<string, unknown>, path: string, value: T): T {
  kept.delete(path);
  kept.set(path, value);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return value;
}

function isGone(error: unknown): boolean {
  return error instanceof ProblemError && GONE.includes(error.body.status);
}
