/**
 * Replaces the document of a window by an empty one in the same process, which costs a third of a navigation. The window is new
 * (`CommitReason::kJavascriptUrl`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/loader/frame_loader.cc),
 * but has the address, the origin and the policies of the last. Of the last document, only callbacks that V8 itself holds could still run:
 * those of finalization registries (see `in-page/window/finalizers.ts`) and those of `Atomics.waitAsync`, in frames.
 */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { ask } from '../devtools/ask.ts';
import { DevToolsError, type Session } from '../devtools/connection.ts';
import { answerOr, shape } from '../devtools/evaluate.ts';

/** The answer for a promise whose window is gone. A script cannot cause it in another way. */
const IS_REPLACED = 'Execution context was destroyed.';
const MARKER = shape(Type.String());

/**
 * Returns whether the document is gone, the one that we wrote is in its place, and no policy is left. The document may put another one in its
 * place, but does not know the mark of ours. Does not resolve while the document prevents its replacement.
 */
export async function replaceDocument(session: Session, frameId: string): Promise<boolean> {
  const marker = randomUUID();
  const loaded = session.next('Page.loadEventFired');
  // No script can change what `location.href` and the syntax of a promise do.
  const expression = `location.href = "javascript:'<!--${marker}-->'"; (async () => { await { then() {} } })()`;
  const answer = await session.send('Runtime.evaluate', { expression, awaitPromise: true }).catch((error: unknown) => {
    if (error instanceof DevToolsError) return error.reason;
    throw error;
  });
  if (answer !== IS_REPLACED) return false;
  await loaded;
  const [found, { status }] = await Promise.all([
    answerOr(ask(session, 'readMarker', [], MARKER), ''),
    session.send('Network.getSecurityIsolationStatus', { frameId }),
  ]);
  // The policy of an empty document at an address is ours.
  return found === marker && (status.csp?.every(({ source }) => source === 'HTTP') ?? true);
}
