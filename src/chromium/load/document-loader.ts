/**
 * Loads documents into a page, one after the other. It has what all of them share: the monitors, and what a document leaves behind. A
 * `DocumentLoad` is about one of them.
 */
import type { ProxyListener } from '../../egress/egress-proxy.ts';
import type { FontKnowledge } from '../../fonts/font-knowledge.ts';
import type { BrowserSettings } from '../browser-settings.ts';
import type { Session } from '../devtools/connection.ts';
import type { Emulation } from '../devtools/emulation.ts';
import { type Attempt, DocumentLoad, type LoadJob } from './document-load.ts';
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
  openSession(id: string): Session;
}

/** What documents leave behind in their page. */
export interface PageTraces {
  /** Whether the present document must be replaced by an empty one before the next may be written. */
  needReset: boolean;
  /** Whether a script of the present document may run when it unloads. */
  mayRunOnUnload: boolean;
  /** Whether the windows of the page are prepared for documents with scripts. */
  arePrepared: boolean;
}

/** The parts of a page that its documents share. */
export interface PageParts extends LoadPlace {
  interception: Interception;
  network: NetworkMonitor;
  workers: WorkerMonitor;
  console: ConsoleMonitor;
  traces: PageTraces;
}

export class DocumentLoader {
  readonly #parts: PageParts;

  constructor(place: LoadPlace) {
    const { root, session, proxy, frameId, contextId, openSession } = place;
    const network = new NetworkMonitor(session, proxy, frameId);
    this.#parts = {
      ...place,
      interception: new Interception(root, session, { frameId, contextId }),
      network,
      workers: new WorkerMonitor(session, network, { root, contextId, openSession }),
      console: new ConsoleMonitor(session),
      traces: { needReset: false, mayRunOnUnload: false, arePrepared: false },
    };
  }

  get traces(): Readonly<PageTraces> {
    return this.#parts.traces;
  }

  /** Resolves when the document is ready to print or to capture. Dispose of the result before the next is loaded. */
  load(job: LoadJob, attempt: Attempt): Promise<DocumentLoad> {
    return DocumentLoad.load(this.#parts, job, attempt);
  }

  /** `navigate` opens an empty document at the address of the next one. */
  async openAddress(navigate: () => Promise<void>): Promise<void> {
    await this.#parts.interception.openEmpty(navigate);
  }

  /** Call it when an empty document has been loaded. It resets the emulation. */
  async forgetTraces(): Promise<void> {
    const { emulation, traces } = this.#parts;
    await emulation.undo();
    traces.mayRunOnUnload = false;
    traces.needReset = false;
  }

  /** Call it when the page is gone. */
  close(): void {
    this.#parts.workers.close();
  }
}
