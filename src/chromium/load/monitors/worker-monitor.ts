/** Watches the workers of a page over DevTools: what they request, and whether they have handled their messages. */
import { Type } from 'typebox';
import { ServiceError } from '../../../errors.ts';
import { MAX_WORKERS } from '../../../in-page/contract/limits.ts';
import type { WorkerState } from '../../../in-page/contract/questions.ts';
import type { Events, Session } from '../../devtools/connection.ts';
import { evaluate, type Shape, shape } from '../../devtools/evaluate.ts';
import { WORKER, WORKER_STATE } from '../../devtools/in-page-program.ts';
import { withinTime } from '../time-limit.ts';
import type { NetworkMonitor } from './network-monitor.ts';

type Attached = Events['Target.attachedToTarget'][0];

/** Limits the workers that are watched at the same time. Further workers are not watched. */
const MAX_WATCHED = 50;
/** How long to wait for the report of a worker that was started, in case that it was ended at once. */
const MAX_REPORT_MS = 3_000;
/** Workers are held until their requests are watched. */
const WATCHED = {
  autoAttach: true,
  waitForDebuggerOnStart: true,
  flatten: true,
  filter: [{ type: 'worker' }, { exclude: true }],
};

const COUNT = Type.Integer({ minimum: 0 });
const WORKER_STATE_SHAPE: Shape<WorkerState> = shape(Type.Tuple([COUNT, COUNT]));

interface WorkerPlace {
  /** The session of the browser. */
  root: Session;
  session: Session;
  contextId: string;
  openSession(id: string): Session;
}

export class WorkerMonitor {
  readonly #place: WorkerPlace;
  readonly #network: NetworkMonitor;
  #stopListening = () => {};
  readonly #workers = new Set<Session>();
  /** The workers that a window or a worker has started. The browser does not report the end of those whose worker has ended. */
  readonly #children = new WeakMap<Session, Set<Session>>();
  /** What each worker has done, also after its end. */
  readonly #states = new Map<Session, WorkerState>();
  #begun: Promise<void> | undefined;
  #fail = (_: ServiceError) => {};
  #onReport = () => {};
  /** Number of workers that were started in this render. */
  #started = 0;
  /** How many of them are shared. */
  #shared = 0;
  /** Number of workers that the browser did not report in time. */
  #unreported = 0;

  constructor(place: WorkerPlace, network: NetworkMonitor) {
    this.#place = place;
    this.#network = network;
  }

  /** Starts watching, until `close` is called. Calls `fail` when there are too many. */
  async begin(fail: (error: ServiceError) => void): Promise<void> {
    this.#fail = fail;
    this.#started = 0;
    this.#shared = 0;
    this.#unreported = 0;
    this.#states.clear();
    if (this.#begun) return this.#begun;
    this.#stopListening = this.#place.root.on('Target.targetCreated', ({ targetInfo }) => {
      if (targetInfo.type === 'shared_worker' && targetInfo.browserContextId === this.#place.contextId)
        void this.#join(targetInfo);
    });
    this.#begun = this.#watchChildren(this.#place.session);
    await this.#begun;
  }

  close(): void {
    this.#stopListening();
  }

  get any(): boolean {
    return this.#workers.size > 0;
  }

  /** Number of messages that workers have sent to workers of their own. */
  get sent(): number {
    return this.#total(([, sent]) => sent);
  }

  /**
   * Whether the browser has reported the workers of windows, of which there are so many, and those of all workers. If not, waits until
   * it has, or for a limited time for those that it never reports. A worker that was reported since `idle` may have started others.
   */
  async areReported(ofWindows: number): Promise<boolean> {
    if ([...this.#workers].some((worker) => !this.#states.has(worker))) return false;
    const started = ofWindows + this.#total(([workers]) => workers);
    const missing = () => started - (this.#started - this.#shared);
    const areThere = () => missing() <= this.#unreported;
    if (!this.#begun || areThere()) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onReport = () => areThere() && resolve();
    await withinTime(promise, MAX_REPORT_MS, undefined);
    this.#unreported = Math.max(0, missing());
    return false;
  }

  /** Resolves to true when every worker has run its script and handled its messages, or to false at the time `latest`. */
  async idle(latest: number): Promise<boolean> {
    const answered = Promise.all([...this.#workers].map((worker) => this.#ask(worker))).then(() => true);
    return withinTime(answered, latest - performance.now(), false);
  }

  async #ask(worker: Session): Promise<void> {
    const known = this.#states.get(worker) ?? [0, 0];
    const answer = evaluate(worker, { expression: WORKER_STATE }, WORKER_STATE_SHAPE);
    this.#states.set(worker, await answer.catch(() => known)); // it may have ended
  }

  #total(of: (state: WorkerState) => number): number {
    return [...this.#states.values()].reduce((total, state) => total + of(state), 0);
  }

  async #watchChildren(parent: Session): Promise<void> {
    const children = new Set<Session>();
    this.#children.set(parent, children);
    parent.on('Target.attachedToTarget', (attached) => this.#watch(attached, children));
    await parent.send('Target.setAutoAttach', WATCHED);
  }

  /** Attaches to a shared worker. These belong to no page and are not held, so their first requests may be missed. */
  async #join(targetInfo: Attached['targetInfo']): Promise<void> {
    const { targetId } = targetInfo;
    this.#network.disregard(targetId);
    const attached = await this.#place.root.send('Target.attachToTarget', { targetId, flatten: true }).catch(() => undefined);
    if (!attached) return;
    this.#shared++;
    this.#watch({ ...attached, targetInfo });
  }

  #watch({ sessionId, targetInfo }: Pick<Attached, 'sessionId' | 'targetInfo'>, siblings = new Set<Session>()): void {
    const worker = this.#place.openSession(sessionId);
    const { targetId } = targetInfo;
    if (++this.#started === MAX_WORKERS) this.#fail(tooMany());
    this.#onReport();
    const isWatched = this.#workers.size < MAX_WATCHED;
    siblings.add(worker);
    worker.onClose = (reason) => {
      siblings.delete(worker);
      for (const child of this.#children.get(worker) ?? []) child.close(reason);
      this.#workers.delete(worker);
      this.#network.forget(worker, targetId);
    };
    if (isWatched) {
      this.#workers.add(worker);
      this.#network.watch(worker).catch(() => {});
      this.#watchChildren(worker).catch(() => {});
    }
    worker.send('Runtime.evaluate', { expression: WORKER }).catch(() => {});
    const started = worker.send('Runtime.runIfWaitingForDebugger').catch(() => {});
    if (!isWatched) void started.then(() => worker.close(new Error('there are too many workers')));
  }
}

function tooMany(): ServiceError {
  const detail = `the document starts ${MAX_WORKERS} or more workers; use each worker for several tasks`;
  return new ServiceError('resource_limit', detail, { members: { limit: MAX_WORKERS - 1 } });
}
