/** A command that cannot begin, because of how it was called: exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
