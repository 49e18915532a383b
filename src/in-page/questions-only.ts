/** The bundle that answers questions in an isolated world, and in the window of a document without scripts. */
import { ask } from './ask.ts';
import { keepProgram } from './dom/prepared-window.ts';

/**
 * Chromium evaluates the scripts of all worlds when a window gets its first one, which may be later. The program, which knows what it has
 * done, stays.
 */
if (!Object.hasOwn(globalThis, SETTINGS.key)) keepProgram({ ask }, false);
