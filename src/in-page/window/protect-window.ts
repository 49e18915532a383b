/**
 * Protects the window before any script of its document runs: it cannot be closed, moved or resized, has no name from an earlier
 * document, sends nothing later with `fetchLater`, and cannot flood its console.
 */

/** Further console messages are dropped, because each goes through the browser, which all pages share. `failOnConsoleError` reads fewer. */
const MAX_MESSAGES = 2_000;
const MAX_CHARACTERS = 10_000;

export function protectWindow(): void {
  limitConsole();
  const self = window as Window & { fetchLater?: unknown };
  delete self.fetchLater;
  self.moveTo = self.moveBy = self.resizeTo = self.resizeBy = () => {}; // the methods of a frame could be called on our window
  if (self !== self.top) return;
  self.close = () => {};
  self.name = '';
}

function limitConsole(): void {
  const console = window.console as unknown as Record<string, unknown>;
  let left = MAX_MESSAGES;
  const cut = (part: unknown) => (typeof part === 'string' ? part.slice(0, MAX_CHARACTERS) : part);
  for (const [name, write] of Object.entries(console))
    if (typeof write === 'function') console[name] = (...parts: unknown[]) => (left-- > 0 ? write(...parts.map(cut)) : undefined);
}
