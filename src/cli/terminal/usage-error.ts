/** A command cannot start because of its arguments: exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
