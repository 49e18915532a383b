/**
 * Loads documents into a page, one after the other. It has what all of them share: the monitors, and what a document leaves behind. A
 * `DocumentLoad` is about one of them.
 */
import { DocumentLoad } from './document-load.ts';
import { Interception } from './interception.ts';
import type { Attempt, LoadJob } from './load-job.ts';
import { ConsoleMonitor } from './monitors/console-monitor.ts';
import { NetworkMonitor } from './monitors/network-monitor.ts';
import { WorkerMonitor } from './monitors/worker-monitor.ts';
import type { LoadPlace, PageParts, PageTraces } from './page-parts.ts';

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
      traces: { needReset: false, mayHaveCookies: false, mayRunOnUnload: false, preparing: [] },
    };
  }

  get traces(): Readonly<PageTraces> {
    return this.#parts.traces;
  }

  /** Resolves when the document is ready to print or to capture. Dispose of the result before the next is loaded. */
  load(job: LoadJob, attempt: Attempt): Promise<DocumentLoad> {
    return DocumentLoad.load({ parts: this.#parts, job, attempt });
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
    traces.mayHaveCookies = false;
  }

  /** Call it when the page is gone. */
  close(): void {
    this.#parts.workers.close();
  }
}
