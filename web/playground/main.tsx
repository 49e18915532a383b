/** Starts the application with the editor. */
import { startShell } from '../shell/shell.tsx';
import { showAbout } from './about.ts';
import { Editor } from './editor.tsx';

showAbout();
startShell('editor', Editor);
