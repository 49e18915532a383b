/**
 * Finds out which renderer process belongs to which page of a browser.
 *
 * DevTools does not tell in which process a page runs. Pages are therefore created one at a time, and the process that is new
 * afterwards belongs to the page. A page moves to another process if its URL requires that (COOP). If exactly one page has lost its
 * process and exactly one process has no page, they belong together. If several pages are possible, the process stays unknown until
 * it can be determined again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../../host/proc.ts';
import type { ProcessTree } from './process-tree.ts';

export interface Renderer {
  readonly pid: number;
  readonly startTime: number;
  /** Resident bytes at the last measurement. */
  bytes: number;
  /** The target id of its page. Undefined while it is unknown, and `NOBODY` once the page is closed. */
  owner: string | undefined;
  /** Is set once the process has been asked to end. */
  ending: { since: number; killed: boolean } | undefined;
}

/** The owner of a process whose page is closed. It is ending and is not matched again. */
export const NOBODY = '';
/** The process of a new page exists at once or after a few milliseconds. */
const LOOK_AGAIN_MS = 2;
const LONGEST_LOOK_MS = 1_000;

export class Renderers {
  readonly #tree: ProcessTree;
  readonly #byPid = new Map<number, Renderer>();
  /** Target ids of open pages whose process is unknown. */
  readonly #unmatched = new Set<string>();
  /** Resident bytes of the process of each open page when it last lived, because a process that has ended has none. */
  readonly #lastBytes = new Map<string, number>();
  /** The page creation for which others wait. */
  #creating: Promise<unknown> | undefined;

  constructor(tree: ProcessTree) {
    this.#tree = tree;
  }

  [Symbol.iterator](): Iterator<Renderer> {
    return this.#byPid.values();
  }

  /** The renderer of this page. Undefined while it is unknown. */
  find(targetId: string): Renderer | undefined {
    for (const renderer of this.#byPid.values()) if (renderer.owner === targetId) return renderer;
    return undefined;
  }

  /** Resident bytes of the renderer of a page, which may have ended, at the last measurement. */
  lastKnownBytes(targetId: string): number {
    return this.#lastBytes.get(targetId) ?? 0;
  }

  /** Creates a page and finds its process. Resolves to its target id as soon as it exists. */
  async create(create: () => Promise<string>): Promise<string> {
    while (this.#creating) await this.#creating;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#creating = promise;
    const release = () => {
      this.#creating = undefined;
      resolve();
    };
    try {
      await this.refresh().catch(() => {});
      const known = new Set(this.#byPid.keys());
      const targetId = await create();
      this.#unmatched.add(targetId);
      void this.#adopt(targetId, known)
        .catch(() => {})
        .finally(release);
      return targetId;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Resolves when the process of a new page is known or cannot be determined. */
  async waitUntilFound(targetId: string): Promise<void> {
    while (this.#unmatched.has(targetId) && this.#creating) await this.#creating;
  }

  /** Call it when the page is closed. */
  forget(targetId: string): void {
    this.#unmatched.delete(targetId);
    this.#lastBytes.delete(targetId);
    const renderer = this.find(targetId);
    if (renderer) renderer.owner = NOBODY;
  }

  /** Measures the present renderers. If that fails, the previous figures stay. */
  async refresh(): Promise<void> {
    await this.#tree.look();
    for (const [pid, { owner }] of this.#byPid) {
      if (this.#tree.has(pid)) continue;
      this.#byPid.delete(pid);
      if (owner) this.#unmatched.add(owner);
    }
    for (const { pid, startTime, kind } of this.#tree.processes) {
      if (kind !== 'renderer') continue;
      const renderer = this.#byPid.get(pid) ?? { pid, startTime, bytes: 0, owner: undefined, ending: undefined };
      this.#byPid.set(pid, renderer);
      this.#measure(renderer);
    }
    if (!this.#creating) this.#matchLast();
  }

  #measure(renderer: Renderer): void {
    renderer.bytes = residentBytes(renderer.pid) ?? 0;
    if (renderer.owner && renderer.bytes) this.#lastBytes.set(renderer.owner, renderer.bytes);
  }

  /** If there is exactly one process that is not in `known`, it belongs to the page. */
  async #adopt(targetId: string, known: ReadonlySet<number>): Promise<void> {
    const until = performance.now() + LONGEST_LOOK_MS;
    while (this.#unmatched.has(targetId) && performance.now() < until) {
      await this.refresh();
      const fresh = this.#findOwnerless().filter(({ pid }) => !known.has(pid));
      if (fresh.length > 1) return;
      if (fresh[0]) this.#match(fresh[0], targetId);
      else await delay(LOOK_AGAIN_MS);
    }
  }

  #matchLast(): void {
    const [renderer, ...others] = this.#findOwnerless();
    const [targetId, ...otherTargets] = this.#unmatched;
    if (renderer && targetId && !others.length && !otherTargets.length) this.#match(renderer, targetId);
  }

  #match(renderer: Renderer, targetId: string): void {
    renderer.owner = targetId;
    this.#unmatched.delete(targetId);
  }

  #findOwnerless(): Renderer[] {
    return [...this.#byPid.values()].filter(({ owner }) => owner === undefined);
  }
}
