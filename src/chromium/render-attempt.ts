/** One try to render a document on a page: its deadline, its share of the network, and what its errors mean for the caller. */
import type { Deadline } from '../deadline.ts';
import type { OutboundBudget, OutboundReport, ProxyListener } from '../egress/egress-proxy.ts';
import type { HostedAssets } from '../egress/hosted-assets.ts';
import { ServiceError } from '../errors.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { DevToolsError } from './devtools/connection.ts';
import { interferes } from './devtools/evaluate.ts';
import type { Attempt, LoadJob } from './load/load-job.ts';

/** What an attempt needs of its page. */
export interface AttemptPlace {
  proxy: ProxyListener;
  settings: BrowserSettings;
  /** Why the page is gone. */
  lost(): ServiceError | undefined;
  /** Set while the page is ended to free memory, before it is known why. */
  memoryError(): Promise<ServiceError> | undefined;
}

const NO_ROOM = 'the margins leave no room on the paper; a number without a unit is CSS pixels, so write "8.27in" for inches';

export class RenderAttempt implements Attempt, Disposable {
  readonly deadline: Deadline;
  readonly #place: AttemptPlace;
  readonly #assets: HostedAssets | undefined;
  readonly #failure = Promise.withResolvers<never>();

  constructor(place: AttemptPlace, { content, load }: LoadJob, deadline: Deadline, assets: HostedAssets | undefined) {
    this.#place = place;
    this.deadline = deadline;
    this.#assets = assets;
    this.#failure.promise.catch(() => {});
    place.proxy.startRender(createBudget(content, load, place.settings, deadline), assets);
    deadline.enter('load');
  }

  /** The random origin of the assets, which may occur in links of the PDF. */
  get assetOrigin(): string | undefined {
    return this.#assets?.origin;
  }

  /** Fails whatever step is awaited. */
  fail = (error: ServiceError): void => this.#failure.reject(error);

  step: Attempt['step'] = (awaited) => this.deadline.race(Promise.race([awaited, this.#failure.promise]));

  /** Replaces what the loss of the page, or the random origin of assets, says in an error. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => this.#rethrow(error));
  }

  /** Removes the random origin of the assets of the document. */
  withoutOrigin<T>(value: T): T {
    return this.#assets?.withoutOrigin(value) ?? value;
  }

  endTraffic(): OutboundReport {
    return this.#place.proxy.endRender();
  }

  [Symbol.dispose](): void {
    this.endTraffic();
  }

  async #rethrow(error: unknown): Promise<never> {
    const { lost, memoryError } = this.#place;
    const isExplained = error instanceof ServiceError || lost();
    const reason = (isExplained ? undefined : await memoryError()) ?? this.#explain(error);
    throw this.#assets && reason instanceof ServiceError ? withoutOrigin(reason, this.#assets) : reason;
  }

  #explain(error: unknown): unknown {
    if (error instanceof ServiceError) return error;
    const lost = this.#place.lost();
    if (lost) return lost;
    if (!(error instanceof DevToolsError)) return error;
    if (error.method === 'Page.printToPDF')
      return new ServiceError('print_failed', `the document could not be printed: ${describeReason(error)}`);
    if (error.method === 'Page.captureScreenshot')
      return new ServiceError('print_failed', `no image could be made of the document: ${error.reason}`);
    return error.method.startsWith('Runtime.') ? interferes(error) : error; // such as a value without JSON
  }
}

/** The document itself may take as long as the render. Its resources may not. */
function createBudget(
  { kind }: LoadJob['content'],
  load: LoadJob['load'],
  { renderMaxRequests, renderMaxNetworkBytes, renderMaxConnections, resourceTimeoutMs }: BrowserSettings,
  deadline: Deadline,
): OutboundBudget {
  return {
    requests: load.offline ? 0 : renderMaxRequests,
    bytes: renderMaxNetworkBytes,
    connections: renderMaxConnections,
    silenceMs: kind === 'url' ? Math.ceil(deadline.remainingMs) : (load.resourceTimeoutMs ?? resourceTimeoutMs),
  };
}

function describeReason({ reason }: DevToolsError): string {
  return reason.includes('content area is empty') ? NO_ROOM : reason;
}

function withoutOrigin(error: ServiceError, assets: HostedAssets): ServiceError {
  const extras = { ...error, cause: error.cause, members: assets.withoutOrigin(error.members) };
  return new ServiceError(error.code, assets.withoutOrigin(error.message), extras);
}
