/** Request headers that callers may not set. */

const OF_THE_CONNECTION = 'host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*';

/** Matches the names of connection headers and of `more`, ignoring case. */
export function connectionHeaders(...more: string[]): RegExp {
  return new RegExp(`^(?:${[OF_THE_CONNECTION, ...more].join('|')})$`, 'i');
}
