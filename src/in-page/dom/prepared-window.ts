/** The property of a window under which the program is kept. Windows of the same origin find each other's. */
import { defineProperty, getOwnPropertyDescriptor } from './built-ins.ts';

/** Reports each target of intersection observers once. Returns the number of targets, plus one if there are scroll listeners. */
export type ShowAll = () => number;

/** Registers the roots in `found`, and returns all that are in the document, as a list without methods. Empty without the secret. */
export type ListShadows = (secret: string, found?: readonly object[]) => ArrayLike<ShadowRoot>;

/** Controls the time of a window, once its document has loaded. */
export interface WindowClock {
  native: Natives;
  /**
   * Runs the frames, and optionally the timers, that are due within a pass. Resolves to whether all of them have run. A request that
   * begins in the meantime ends the pass early.
   */
  forward(withTimers: boolean): Promise<boolean>;
  /** Whether a frame or a timer is due within a pass. */
  isDue(withTimers: boolean): boolean;
  /** Whether work is pending that the document has begun, such as a request. */
  isPending(): boolean;
  /** Number of messages that the window has sent. */
  sent(): number;
  /** Whether a timer or frame runs although time was run forward completely. Such timers and frames go on for ever. */
  isTicking(): boolean;
}

/** Native functions from before any script of the document could replace them. */
export interface Natives {
  setTimeout(handler: () => void, milliseconds: number): number;
  clearTimeout(id: number): void;
  requestAnimationFrame(callback: (stamp: number) => void): number;
  reportError(error: unknown): void;
  Promise: PromiseConstructor;
  MutationObserver: typeof MutationObserver;
  /** Returns the real time. */
  now(): number;
}

/** What the program keeps in a window that was prepared before any script of its document. */
export interface PreparedWindow {
  clock: WindowClock;
  showAll: ShowAll;
  listShadows: ListShadows;
  /** Elements that failed to load their resource, each with the address. */
  failed: Array<[element: Element, address: string]>;
  /** Listens again. Call it when the window may have another document. */
  listenAgain(): void;
  /** Counts a worker, and returns whether it may start. */
  mayStartWorker(): boolean;
  /** How many workers the window has started. */
  startedWorkers(): number;
}

export interface Program extends Partial<PreparedWindow> {
  ask(secret: string, name: string, args: unknown[]): unknown;
}

/** Keeps the program. Only the property of a prepared window is final. In other windows and worlds, no script of a document runs. */
export function keepProgram(program: Program, isPrepared: boolean): void {
  defineProperty(globalThis, SETTINGS.key, { value: Object.freeze(program), configurable: !isPrepared });
}

/** Returns undefined if the window is not prepared. Throws if it has another origin. */
export function preparedWindow(view: Window): (Program & PreparedWindow) | undefined {
  const property = getOwnPropertyDescriptor(view, SETTINGS.key);
  return property && !property.configurable ? (property.value as Program & PreparedWindow) : undefined;
}
