/** What the documents of a page share. */
import type { ProxyListener } from '../../egress/egress-proxy.ts';
import type { FontKnowledge } from '../../fonts/font-knowledge.ts';
import type { BrowserSettings } from '../browser-settings.ts';
import type { CaptureQueue } from '../capture/capture-queue.ts';
import type { Session } from '../devtools/connection.ts';
import type { Emulation } from '../devtools/emulation.ts';
import { Interception } from './interception.ts';
import { ConsoleMonitor } from './monitors/console-monitor.ts';
import { NetworkMonitor } from './monitors/network-monitor.ts';
import { WorkerMonitor } from './monitors/worker-monitor.ts';

/** The page that documents are loaded into. */
export interface LoadPlace {
  /** The session of the browser. */
  root: Session;
  session: Session;
  proxy: ProxyListener;
  emulation: Emulation;
  frameId: string;
  contextId: string;
  settings: BrowserSettings;
  fonts: FontKnowledge;
  captureQueue: CaptureQueue;
  openSession(id: string): Session;
}

/** What documents leave behind in their page. */
interface PageTraces {
  /** Whether the present document must be replaced by an empty one before the next may be written. */
  needReset: boolean;
  /** Whether it may leave what a replacement in its window's process would have, too, so that only a navigation removes it. */
  needNavigation: boolean;
  /** Whether the last document requested something, so that it may have received cookies. */
  mayHaveCookies: boolean;
  /** Whether a script of the present document may run when it unloads. */
  mayRunOnUnload: boolean;
  /** The scripts that prepare each window of the page for documents with scripts, as Chromium identifies them. */
  preparing: string[];
}

/** The parts of a page that its documents share. */
export type PageParts = ReturnType<typeof createPageParts>;

export function createPageParts(place: LoadPlace) {
  const { root, session, proxy, frameId } = place;
  const network = new NetworkMonitor(session, proxy, frameId);
  const traces: PageTraces = {
    needReset: false,
    needNavigation: false,
    mayHaveCookies: false,
    mayRunOnUnload: false,
    preparing: [],
  };
  return {
    ...place,
    interception: new Interception(root, session, place),
    network,
    workers: new WorkerMonitor(place, network),
    console: new ConsoleMonitor(session),
    traces,
  };
}
