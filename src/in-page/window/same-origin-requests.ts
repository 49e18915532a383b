/**
 * Lets a document with an opaque origin request its own files with `mode: 'same-origin'`, as htmx does. Nothing has an opaque
 * origin, so that the browser would refuse each such request.
 */
import { replace } from '../dom/built-ins.ts';

/** The files are requested as those of another origin, which they allow. */
export function readOwnFiles(): void {
  if (self.origin !== 'null') return;
  const { Request } = globalThis;
  const isOwn = (input: unknown) =>
    URL.parse(input instanceof Request ? input.url : `${input}`, document.baseURI)?.origin === location.origin;
  replace(globalThis, 'fetch', (native, _self, [input, init]) => {
    const { mode } = Object(init ?? (input instanceof Request ? input : undefined)) as RequestInit;
    return mode === 'same-origin' && isOwn(input)
      ? native(input, { ...(init as RequestInit), mode: 'cors' })
      : native(input, init);
  });
}
