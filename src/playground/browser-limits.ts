/** Limits the renders of the playground: the browser settings of the service in, those of the playground's browser out. */
import type { BrowserSettings } from '../chromium/browser-settings.ts';

const MEGABYTE = 1_048_576;

/** A lower limit of the service takes precedence. */
const CEILINGS = {
  rendererMemoryBytes: 768 * MEGABYTE,
  rendererHeapBytes: 256 * MEGABYTE,
  maxPdfBytes: 32 * MEGABYTE,
  renderMaxRequests: 50,
  renderMaxNetworkBytes: 10 * MEGABYTE,
  renderMaxConnections: 10,
  /** Half the time limit of a render, so that one dead image causes only a warning. */
  resourceTimeoutMs: 5_000,
};
export function playgroundBrowser(settings: BrowserSettings): BrowserSettings {
  const limited = Object.entries(CEILINGS).map(([name, ceiling]) => [
    name,
    Math.min(ceiling, settings[name as keyof typeof CEILINGS]),
  ]);
  return { ...settings, ...Object.fromEntries(limited) };
}
