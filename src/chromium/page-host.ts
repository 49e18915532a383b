/** The part of the browser that a page uses. */
import type { ProxyListener } from '../egress/egress-proxy.ts';
import type { FontKnowledge } from '../fonts/font-knowledge.ts';
import type { MemoryWatchdog } from './browser/memory-watchdog.ts';
import type { BrowserSettings } from './browser-settings.ts';
import type { CaptureQueue } from './capture/capture-queue.ts';
import type { Connection } from './devtools/connection.ts';

export interface PageHost {
  readonly connection: Connection;
  readonly memory: MemoryWatchdog;
  readonly settings: BrowserSettings;
  readonly fonts: FontKnowledge;
  readonly captureQueue: CaptureQueue;
  openListener(): Promise<ProxyListener>;
  /** Ends the whole browser. */
  kill(): void;
}
