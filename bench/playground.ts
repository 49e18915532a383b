/** Do fifty playground visitors slow key holders down? Alternates rounds with and without them on one service. */
import { Agent } from 'undici';
import { invoice } from './documents.ts';
import { type Figures, median, type Row, runClosedLoop } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const VISITORS = 50;
const CLIENTS = [2, 4];
/** Many short rounds, because other load on the machine changes within seconds. */
const ROUNDS = 12;
const SECONDS = 2;
/** The time after which a refused visitor retries, regardless of Retry-After. */
const IMPATIENCE_MS = 1_000;
/** The maximum ratio of render times. */
const MAX_RATIO = 4 / 3;
/** A rate above what visitors can send, because renders are measured and not refusals. */
const SETTINGS = { PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '1000000', PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '1000000' };

interface Crowd {
  served: number;
  refused: number;
  timedOut: number;
  leave(): Promise<void>;
}

export async function* measurePlayground(): AsyncGenerator<Row> {
  await using service = await startService(1, SETTINGS);
  for (const clients of CLIENTS) yield await compare(service, clients);
}

async function compare(service: ServiceUnderTest, clients: number): Promise<Row> {
  const runKeyHolder = () => runClosedLoop(clients, SECONDS, () => service.render({ html: invoice(20) }));
  await runKeyHolder();
  await enter(service).leave(); // the first visitor starts the playground's browser
  const rounds: Array<{ alone: Figures; among: Figures }> = [];
  const crowds: Crowd[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await runKeyHolder();
    const crowd = enter(service);
    const among = await runKeyHolder();
    await crowd.leave();
    rounds.push({ alone, among });
    crowds.push(crowd);
  }
  const time = median(rounds.map(({ alone, among }) => alone.perSecond / among.perSecond));
  const p50 = median(rounds.map(({ alone, among }) => among.p50Ms / alone.p50Ms));
  const total = (name: 'served' | 'refused' | 'timedOut') => crowds.reduce((sum, crowd) => sum + crowd[name], 0);
  const perSecond = (pick: (round: (typeof rounds)[number]) => Figures) => median(rounds.map((round) => pick(round).perSecond));
  const figures = { clients, time, p50, served: total('served'), refused: total('refused'), timedOut: total('timedOut') };
  return {
    measure: `${VISITORS} visitors of the playground beside a key holder with ${clients} clients`,
    value: `a render of the key holder takes ${time.toFixed(2)} times as long, p50 ${p50.toFixed(2)} times (${perSecond(({ alone }) => alone).toFixed(0)}/s alone, ${perSecond(({ among }) => among).toFixed(0)}/s beside them); visitors: ${figures.served} served, ${figures.refused} refused, ${figures.timedOut} timed out`,
    target: `at most ${MAX_RATIO.toFixed(2)} times as long`,
    met: time <= MAX_RATIO && p50 <= MAX_RATIO,
    figures,
  };
}

/** Each visitor has a separate IP address and always one render in progress, or a short pause after a refusal. */
function enter({ url }: ServiceUnderTest): Crowd {
  const left = new AbortController();
  const crowd = { served: 0, refused: 0, timedOut: 0 };
  const visit = async (_: unknown, n: number) => {
    const dispatcher = new Agent({ localAddress: `127.0.0.${n + 2}` });
    while (!left.signal.aborted) {
      const status = await render(url, dispatcher, left.signal);
      if (status === 200) crowd.served++;
      if (status === 504) crowd.timedOut++;
      if (status === 429) {
        crowd.refused++;
        await new Promise((resolve) => setTimeout(resolve, IMPATIENCE_MS));
      }
    }
    await dispatcher.destroy();
  };
  const visitors = Array.from({ length: VISITORS }, visit);
  return Object.assign(crowd, {
    async leave() {
      left.abort();
      await Promise.all(visitors);
    },
  });
}

const BODY = JSON.stringify({ template: invoice(20).replace('Invoice 42', 'Invoice {{number}}'), data: { number: 42 } });

/** Returns the status, or undefined if the visitor left before the reply. */
async function render(origin: string, dispatcher: Agent, signal: AbortSignal): Promise<number | undefined> {
  try {
    const request = { origin, path: '/v1/playground/pdf', method: 'POST' as const, signal, body: BODY };
    const { statusCode, body } = await dispatcher.request({ ...request, headers: { 'content-type': 'application/json' } });
    await body.dump();
    return statusCode;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}
