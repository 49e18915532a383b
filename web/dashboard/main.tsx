/** Starts the application with the dashboard. */
import { startShell } from '../shell/shell.tsx';
import { App } from './app.tsx';

startShell('dashboard', App);
