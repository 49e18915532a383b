/** The bundle that is evaluated in each worker before its script. */
import { MAX_WORKERS_OF_OTHERS } from './contract/limits.ts';
import type { WorkerState } from './contract/questions.ts';
import { defineProperty, replace } from './dom/built-ins.ts';
import { limitConsole, limitErrors } from './window/console-limit.ts';
import { countDown, limitWorkers } from './window/worker-limit.ts';

const startedWorkers = limitWorkers(countDown(MAX_WORKERS_OF_OTHERS));
let sent = 0;
const { Worker } = globalThis as { Worker?: { prototype: object } };
if (Worker) {
  replace(Worker.prototype, 'postMessage', (native, _, given) => {
    sent++;
    return native(...given);
  });
}
defineProperty(globalThis, SETTINGS.key, { value: (): WorkerState => [startedWorkers(), sent] });
limitConsole();
const limit = limitErrors();
addEventListener('error', limit);
addEventListener('unhandledrejection', limit);
