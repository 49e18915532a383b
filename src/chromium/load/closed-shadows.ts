/**
 * Closed shadow roots that the markup declares: no script can find them, so that DevTools hands them to the list of the window. The
 * document is described without the DOM agent, which would tell each change of a document that changes at once and for ever.
 */
import type { Result, Session } from '../devtools/connection.ts';
import { MAX_SHADOWS, SHADOW_ROOTS, SHADOW_SECRET } from '../in-page/page-shadows.ts';

type Node = Result<'DOM.describeNode'>['node'];
/** Each costs a call. */
const MAX_ROOTS = Math.min(200, MAX_SHADOWS);

export async function listClosedShadows(session: Session): Promise<void> {
  const { result } = await session.send('Runtime.evaluate', { expression: 'document' });
  const { node: root } = await session.send('DOM.describeNode', { objectId: result.objectId ?? '', depth: -1, pierce: true });
  const closed = [...closedIn(root)].slice(0, MAX_ROOTS);
  const resolved = await Promise.all(closed.map((backendNodeId) => session.send('DOM.resolveNode', { backendNodeId })));
  const roots = resolved.map(({ object }) => ({ objectId: object.objectId ?? '' }));
  const [first] = roots;
  if (!first) return;
  const functionDeclaration = `(...roots) => void window[${JSON.stringify(SHADOW_ROOTS)}]?.(${JSON.stringify(SHADOW_SECRET)}, roots)`;
  await session.send('Runtime.callFunctionOn', { functionDeclaration, objectId: first.objectId, arguments: roots });
}

/** Not those of frames, whose windows have lists of their own. */
function* closedIn({ children = [], shadowRoots = [], shadowRootType, backendNodeId }: Node): Generator<number> {
  if (shadowRootType === 'closed') yield backendNodeId;
  for (const child of [...shadowRoots, ...children]) yield* closedIn(child);
}
