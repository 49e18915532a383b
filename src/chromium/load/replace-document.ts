/**
 * Replaces the document of a window by an empty one in the same process, which costs a third of a navigation. The window is new
 * (`CommitReason::kJavascriptUrl`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/loader/frame_loader.cc),
 * but has the address, the origin and the policies of the last. Of the last document, only callbacks that V8 itself holds could still run:
 * those of finalization registries (see `in-page/window/finalizers.ts`) and those of `Atomics.waitAsync`, in frames.
 */
import { DevToolsError, type Session } from '../devtools/connection.ts';

/** No script can change what `location.href` does. */
const REPLACE = `location.href = "javascript:''"; new Promise(() => {})`;
/** The answer for a promise whose window is gone. A script cannot cause it. */
const IS_REPLACED = 'Execution context was destroyed.';

/** Returns whether the document is gone and has left no policy. Does not resolve while the document prevents its replacement. */
export async function replaceDocument(session: Session, frameId: string): Promise<boolean> {
  const loaded = session.next('Page.loadEventFired');
  const answer = await session.send('Runtime.evaluate', { expression: REPLACE, awaitPromise: true }).catch((error: unknown) => {
    if (error instanceof DevToolsError) return error.reason;
    throw error;
  });
  if (answer !== IS_REPLACED) return false;
  await loaded;
  const { status } = await session.send('Network.getSecurityIsolationStatus', { frameId });
  return status.csp?.every(({ source }) => source === 'HTTP') ?? true; // the policy of an empty document at an address is ours
}
