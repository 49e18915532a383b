/**
 * Registers closed shadow roots that the markup declares. No script can find them, so DevTools passes them to the `ListShadows` of the
 * window. The DOM agent stays disabled, because it would report every change of a document that never stops changing.
 */
import type { Result, Session } from '../devtools/connection.ts';
import { registerShadowsFunction } from '../devtools/in-page-program.ts';

type Node = Result<'DOM.describeNode'>['node'];
/** Limits the roots, because each needs a DevTools call. */
const MAX_ROOTS = 200;

export async function listClosedShadows(session: Session): Promise<void> {
  const { result } = await session.send('Runtime.evaluate', { expression: 'document' });
  const { node: root } = await session.send('DOM.describeNode', { objectId: result.objectId ?? '', depth: -1, pierce: true });
  const closed = [...findClosed(root)].slice(0, MAX_ROOTS);
  const resolved = await Promise.all(closed.map((backendNodeId) => session.send('DOM.resolveNode', { backendNodeId })));
  const roots = resolved.map(({ object }) => ({ objectId: object.objectId ?? '' }));
  const [first] = roots;
  if (!first) return;
  const functionDeclaration = registerShadowsFunction();
  await session.send('Runtime.callFunctionOn', { functionDeclaration, objectId: first.objectId, arguments: roots });
}

/** Does not include frames, whose windows register their own roots. */
function* findClosed({ children = [], shadowRoots = [], shadowRootType, backendNodeId }: Node): Generator<number> {
  if (shadowRootType === 'closed') yield backendNodeId;
  for (const child of [...shadowRoots, ...children]) yield* findClosed(child);
}
