/**
 * Gives a page a new, empty window where it stands, for half of what a navigation costs: its document is replaced by way of a
 * `javascript:` address. The document may stand in the way, or try to come back. So nothing is taken from it: the new window has to
 * name a secret that only a script of the new document knows, and whatever a window hands on to the next is looked at from there.
 */
import { randomUUID } from 'node:crypto';
import type { Session } from './connection.ts';

/** Under this symbol the new window keeps the secret. */
const PROOF = `globalThis[Symbol.for('platen.proof')]`;
/** Evaluates to the secret, once, and to whether the window has no past. Asked where no script but ours has run. */
const READ_PROOF = `(() => {
  const proof = ${PROOF};
  delete ${PROOF};
  const hasNoPast = history.length === 1 && history.state === null && history.scrollRestoration === 'auto';
  return [proof, document.readyState === 'complete', hasNoPast && document.URL === 'about:blank'];
})()`;

export class NewWindow {
  readonly #session: Session;
  readonly #frameId: string;
  #proof: string | undefined;
  /** Whether the document did what it might not be over with when its window goes. */
  #entangled = false;

  constructor(session: Session, frameId: string) {
    this.#session = session;
    this.#frameId = frameId;
    // A frame has a global object of its own, whose promises go on when it is gone, and an origin that is also the next window's.
    session.on('Page.frameAttached', () => {
      this.#entangled = true;
    });
    // The document might be on its way elsewhere still.
    session.on('Page.frameScheduledNavigation', ({ frameId, url }) => this.#noteNavigation(frameId, url));
    session.on('Page.frameRequestedNavigation', ({ frameId, url }) => this.#noteNavigation(frameId, url));
    session.on('Page.frameStartedNavigating', ({ frameId, url }) => this.#noteNavigation(frameId, url));
  }

  /**
   * Whether the present document has been replaced by an empty one with a window of its own. False where something is left that
   * only a navigation takes away. Rejects where the document cannot be shown to be gone, and waits without end while it stands in
   * the way: then the page is of no more use.
   */
  async open(): Promise<boolean> {
    if (this.#entangled) return false;
    const proof = randomUUID();
    this.#proof = proof;
    const loaded = this.#session.next('Page.loadEventFired');
    this.#session.send('Runtime.evaluate', { expression: replaceExpression(proof) }).catch(() => {});
    await loaded;
    const [{ result }, { status }] = await Promise.all([
      this.#session.send('Runtime.evaluate', { expression: READ_PROOF, returnByValue: true }),
      this.#session.send('Network.getSecurityIsolationStatus', { frameId: this.#frameId }),
    ]);
    const [shown, isLoaded, hasNoPast] = Array.isArray(result.value) ? result.value : [];
    if (shown !== proof || isLoaded !== true) throw new Error('the document is still there');
    return hasNoPast === true && !status.csp?.length && !this.#entangled;
  }

  /** The page has been navigated to an empty document. */
  forget(): void {
    this.#entangled = false;
  }

  #noteNavigation(frameId: string, url: string): void {
    const isOurs = this.#proof !== undefined && url.includes(this.#proof);
    if (frameId === this.#frameId && !isOurs) this.#entangled = true;
  }
}

/** Takes back what a document may have said about referrers, which a window inherits. */
function replaceExpression(proof: string): string {
  const markup = `<meta name=referrer content=default><script>${PROOF} = '${proof}'</script>`;
  return `location.href = ${JSON.stringify(`javascript:${JSON.stringify(markup)}`)}; undefined`;
}
