/**
 * One deadline per render. Every awaited step races against it, so that nothing waits longer than the caller allowed and work stops
 * when the caller closes the connection.
 */
import { ServiceError, type Subject } from './errors.ts';

export type Phase = 'queue' | 'load' | 'print' | 'finish';

/** Observes the start of each phase and the end of the last one. */
export interface PhaseObserver {
  enter(phase: Phase): void;
  end(error?: ServiceError): void;
}

export class Deadline {
  readonly timeoutMs: number;
  readonly #endsAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #over = Promise.withResolvers<never>();
  readonly #entered: Array<{ phase: Phase; at: number }> = [];
  readonly #release: () => void;
  readonly #observer: PhaseObserver | undefined;
  readonly #controller = new AbortController();
  #error: ServiceError | undefined;
  #awaited: { about: Subject; what: string } | undefined;

  /** `client` is aborted when the caller closes the connection. */
  constructor(timeoutMs: number, client?: AbortSignal, observer?: PhaseObserver) {
    this.timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#observer = observer;
    this.enter('queue');
    this.#over.promise.catch(() => {}); // a render that finishes in time never awaits it
    const expire = () => this.end(this.#timeoutError());
    const leave = () => this.end(new ServiceError('client_closed', 'the client closed the connection'));
    this.#timer = setTimeout(expire, timeoutMs);
    if (client?.aborted) leave();
    client?.addEventListener('abort', leave, { once: true });
    this.#release = () => client?.removeEventListener('abort', leave);
  }

  /** Ends the deadline early. */
  end(error: ServiceError): void {
    this.#error ??= error;
    this.#over.reject(this.#error);
    this.#controller.abort();
  }

  /** The error this deadline ended with, once it has ended. */
  get error(): ServiceError | undefined {
    return this.#error;
  }

  get remainingMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Marks the start of a phase, which time-out errors name and `timings` measures. */
  enter(phase: Phase): void {
    this.#entered.push({ phase, at: performance.now() });
    this.#observer?.enter(phase);
  }

  /** Ends the last phase. Later work, such as storing, belongs to no phase. */
  leave(): void {
    this.#observer?.end();
  }

  /** Milliseconds spent in each phase so far, to a tenth. */
  timings(): Record<Phase, number> {
    const spent: Record<Phase, number> = { queue: 0, load: 0, print: 0, finish: 0 };
    this.#entered.forEach(({ phase, at }, index) => {
      spent[phase] += (this.#entered[index + 1]?.at ?? performance.now()) - at;
    });
    for (const phase of Object.keys(spent) as Phase[]) spent[phase] = Math.round(10 * spent[phase]) / 10;
    return spent;
  }

  /** The timings of the phases that have begun. */
  timingsSoFar(): Partial<Record<Phase, number>> {
    const begun = new Set<string>(this.#entered.map(({ phase }) => phase));
    return Object.fromEntries(Object.entries(this.timings()).filter(([phase]) => begun.has(phase)));
  }

  /** Until `work` settles, a time-out error says that the render was waiting for `what`, such as the `{option}` that it is about. */
  async awaiting<T>(about: Subject, what: string, work: Promise<T>): Promise<T> {
    this.#awaited = { about, what };
    return work.finally(() => {
      this.#awaited = undefined;
    });
  }

  /** Aborts when the deadline ends, for work that can be cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Throws if the deadline has ended. Nothing may be charged or stored after that. */
  throwIfOver(): void {
    if (this.#error) throw this.#error;
  }

  /** Waits for `step`, but no longer than the deadline. */
  race<T>(step: Promise<T>): Promise<T> {
    return Promise.race([step, this.#over.promise]);
  }

  /** Stops the timer. Must run on every path once the render has ended; `using` does that. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#release();
    this.#observer?.end(this.#error);
  }

  #timeoutError(): ServiceError {
    const phase = this.#entered.at(-1)?.phase ?? 'queue';
    const doing = this.#awaited ? `was still waiting for ${this.#awaited.what}` : `was in the ${phase} phase`;
    const remedy = this.#awaited
      ? 'Change what it waits for or raise options.timeout.'
      : 'Raise options.timeout or simplify the document.';
    return new ServiceError('render_timeout', `the render did not finish within ${this.timeoutMs} ms; it ${doing}. ${remedy}`, {
      members: { phase, timeout_ms: this.timeoutMs },
      about: this.#awaited?.about,
      isPlain: !this.#awaited, // what it waits for may be a selector with text of the document
    });
  }
}
