/** The bundle that is evaluated in each worker before its script. */
import { MAX_WORKERS_OF_OTHERS } from './contract/limits.ts';
import { limitConsole, limitErrors } from './window/console-limit.ts';
import { countDown, limitWorkers } from './window/worker-limit.ts';

limitWorkers(countDown(MAX_WORKERS_OF_OTHERS));
limitConsole();
const limit = limitErrors();
addEventListener('error', limit);
addEventListener('unhandledrejection', limit);
