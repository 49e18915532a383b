import type { InPageSettings } from './contract/settings.ts';

declare global {
  /** Each bundle is wrapped in a function with this parameter. */
  const SETTINGS: InPageSettings;
}
