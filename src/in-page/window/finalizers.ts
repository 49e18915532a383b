/**
 * Ends the callbacks of finalization registries with their document. Chromium calls them also when another document has replaced theirs
 * in the same process, whose window they would then find.
 */
import { construct } from '../dom/built-ins.ts';

/** `isPresent` tells whether the window still has the document for which it was prepared. */
export function limitFinalizers(isPresent: () => boolean): void {
  const limited = new Proxy(FinalizationRegistry, {
    construct(native, args: unknown[], target) {
      const callback = args[0]; // a document may replace what iterates over arrays
      const guarded = typeof callback === 'function' ? (held: unknown) => isPresent() && callback(held) : callback;
      return construct(native, [guarded], target) as object;
    },
  });
  FinalizationRegistry.prototype.constructor = limited; // no script finds the native function
  window.FinalizationRegistry = limited;
}
