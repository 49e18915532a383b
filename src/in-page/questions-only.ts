/** The bundle that answers questions in an isolated world, and in the window of a document without scripts. */
import { ask } from './ask.ts';
import { keepProgram } from './dom/prepared-window.ts';

keepProgram({ ask }, false);
