/**
 * Protects the window before any script of its document runs: it cannot be closed, moved or resized, has no name from an earlier
 * document, sends nothing later with `fetchLater`, and cannot flood its console.
 */
import { limitConsole, limitErrors } from './console-limit.ts';
import { keepListening } from './listening.ts';

export function protectWindow(): void {
  limitConsole();
  const limit = limitErrors();
  keepListening(() => {
    addEventListener('error', limit);
    addEventListener('unhandledrejection', limit);
  });
  const self = window as Window & { fetchLater?: unknown };
  delete self.fetchLater;
  self.moveTo = self.moveBy = self.resizeTo = self.resizeBy = () => {}; // the methods of a frame could be called on our window
  if (self !== self.top) return;
  self.close = () => {};
  self.name = '';
  history.scrollRestoration = 'auto';
}
