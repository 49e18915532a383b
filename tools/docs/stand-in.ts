/** Stands in for services where something is only described and never run: whatever is asked of it is a function that does nothing. */
export function standIn<T>(): T {
  return new Proxy(() => {}, { get: (_target, name) => (name === 'then' ? undefined : standIn()) }) as T;
}
