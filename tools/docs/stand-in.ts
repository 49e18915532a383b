/** Stands in for services that are only described and never called: every member is a function that does nothing. */
export function standIn<T>(): T {
  return new Proxy(() => {}, { get: (_target, name) => (name === 'then' ? undefined : standIn()) }) as T;
}
