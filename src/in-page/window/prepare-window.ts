/** Prepares a window before any script of its document runs: protects it, controls its time, and records what the document does. */

import { MAX_WORKERS, MAX_WORKERS_OF_OTHERS } from '../contract/limits.ts';
import { keepProgram, type Program, preparedWindow } from '../dom/prepared-window.ts';
import { controlTime } from './clock/control-time.ts';
import { recordErrors } from './document-errors.ts';
import { listenIn, recordFailedElements } from './failed-elements.ts';
import { limitFinalizers } from './finalizers.ts';
import { listenAgain } from './listening.ts';
import { watchObservers } from './observers.ts';
import { setPixelRatio } from './pixel-ratio.ts';
import { protectWindow } from './protect-window.ts';
import { registerShadows } from './shadow-roots.ts';
import { countDown, limitWorkers } from './worker-limit.ts';

/** Runs again when a document is written into the window, and when that of a frame replaces its empty one. */
export function prepareWindow(ask: Program['ask'], ...others: Array<() => void>): void {
  const before = preparedWindow(window);
  if (before) before.listenAgain();
  else prepare(ask, others);
}

function prepare(ask: Program['ask'], others: Array<() => void>): void {
  const failed = recordFailedElements();
  const listShadows = registerShadows(listenIn);
  protectWindow();
  if (window === top) recordErrors();
  const mayStartWorker = workerCounter();
  const startedWorkers = limitWorkers(mayStartWorker);
  for (const other of others) other();
  if (SETTINGS.pixelRatio) setPixelRatio(SETTINGS.pixelRatio);
  const clock = controlTime();
  const showAll = watchObservers();
  const program = { ask, failed, listShadows, listenAgain, mayStartWorker, startedWorkers, clock, showAll };
  keepProgram(program, true);
  limitFinalizers(() => preparedWindow(window) === program);
}

/** All windows that can access the top window share its limit. */
function workerCounter(): () => boolean {
  if (window === top) return countDown(MAX_WORKERS);
  const own = countDown(MAX_WORKERS_OF_OTHERS);
  try {
    return (top && preparedWindow(top)?.mayStartWorker) ?? own;
  } catch {
    return own; // the top window has another origin
  }
}
