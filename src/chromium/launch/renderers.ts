/**
 * The renderers of one browser and the pages they belong to: pages being opened in, the process of each page out.
 *
 * DevTools does not tell in which process a page runs. Pages are therefore created one at a time, each until its process is
 * there: the one that is new then is its own. A page moves to another process when its address asks for that (COOP); where one
 * page has lost its process and one process has no page, they belong together. Where more than one page comes into question, none
 * is named until it can be told again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from './proc.ts';
import type { ProcessTree } from './process-tree.ts';

export interface Renderer {
  readonly pid: number;
  readonly born: number;
  /** Resident bytes when last seen. */
  bytes: number;
  /** The target id of its page; undefined while that cannot be told, `NOBODY` once it is closed. */
  owner: string | undefined;
  /** Set once it has been told to end. */
  ending: { since: number; killed: boolean } | undefined;
}

/** Owner of a process whose page is closed: on its way out, not to be matched again. */
export const NOBODY = '';
/** The process of a page that has just been created is there at once or after a few milliseconds. */
const LOOK_AGAIN_MS = 2;
const LONGEST_LOOK_MS = 1_000;

export class Renderers {
  readonly #tree: ProcessTree;
  readonly #byPid = new Map<number, Renderer>();
  /** Target ids of open pages whose process is not known. */
  readonly #homeless = new Set<string>();
  /** Resident bytes of the process of each open page when it was last seen alive: a process that has ended holds none. */
  readonly #lastBytes = new Map<string, number>();
  /** The creation that others wait for. */
  #creating: Promise<unknown> | undefined;

  constructor(tree: ProcessTree) {
    this.#tree = tree;
  }

  [Symbol.iterator](): Iterator<Renderer> {
    return this.#byPid.values();
  }

  of(targetId: string): Renderer | undefined {
    for (const renderer of this.#byPid.values()) if (renderer.owner === targetId) return renderer;
    return undefined;
  }

  lastBytesOf(targetId: string): number {
    return this.#lastBytes.get(targetId) ?? 0;
  }

  /** Creates a page, and finds out its process meanwhile. Resolves to its target id. */
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
      this.#homeless.add(targetId);
      void this.#adopt(targetId, known)
        .catch(() => {})
        .finally(release);
      return targetId;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Resolves when the process of a page that was just created is known, or cannot be told. */
  async found(targetId: string): Promise<void> {
    while (this.#homeless.has(targetId) && this.#creating) await this.#creating;
  }

  /** The page is closed. */
  forget(targetId: string): void {
    this.#homeless.delete(targetId);
    this.#lastBytes.delete(targetId);
    const renderer = this.of(targetId);
    if (renderer) renderer.owner = NOBODY;
  }

  /** Looks which renderers there are, and how large. Where that cannot be told, what is known stays. */
  async refresh(): Promise<void> {
    await this.#tree.look();
    for (const [pid, { owner }] of this.#byPid) {
      if (this.#tree.has(pid)) continue;
      this.#byPid.delete(pid);
      if (owner) this.#homeless.add(owner);
    }
    for (const { pid, born, kind } of this.#tree.processes) {
      if (kind !== 'renderer') continue;
      const renderer = this.#byPid.get(pid) ?? { pid, born, bytes: 0, owner: undefined, ending: undefined };
      this.#byPid.set(pid, renderer);
      this.#measure(renderer);
    }
    if (!this.#creating) this.#settle();
  }

  #measure(renderer: Renderer): void {
    renderer.bytes = residentBytes(renderer.pid) ?? 0;
    if (renderer.owner && renderer.bytes) this.#lastBytes.set(renderer.owner, renderer.bytes);
  }

  /** What is new since `known` is the process of the page, if it is one. */
  async #adopt(targetId: string, known: ReadonlySet<number>): Promise<void> {
    const until = performance.now() + LONGEST_LOOK_MS;
    while (this.#homeless.has(targetId) && performance.now() < until) {
      await this.refresh();
      const fresh = this.#ownerless().filter(({ pid }) => !known.has(pid));
      if (fresh.length > 1) return;
      if (fresh[0]) this.#match(fresh[0], targetId);
      else await delay(LOOK_AGAIN_MS);
    }
  }

  #settle(): void {
    const [renderer, ...others] = this.#ownerless();
    const [targetId, ...otherTargets] = this.#homeless;
    if (renderer && targetId && !others.length && !otherTargets.length) this.#match(renderer, targetId);
  }

  #match(renderer: Renderer, targetId: string): void {
    renderer.owner = targetId;
    this.#homeless.delete(targetId);
  }

  #ownerless(): Renderer[] {
    return [...this.#byPid.values()].filter(({ owner }) => owner === undefined);
  }
}
