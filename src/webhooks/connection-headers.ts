/** Headers of requests that callers may not set. */

const OF_THE_CONNECTION = 'host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*';

/** Matches the names of those that belong to the connection, and of `more`, in any case of letters. */
export function connectionHeaders(...more: string[]): RegExp {
  return new RegExp(`^(?:${[OF_THE_CONNECTION, ...more].join('|')})$`, 'i');
}
