/** Waits for an element, an expression or a time that the caller names. Most of these have no event, so that they are polled. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deadline } from '../../deadline.ts';
import { ServiceError } from '../../errors.ts';
import { ask, BOOLEAN } from '../devtools/ask.ts';
import { DevToolsError, type Session } from '../devtools/connection.ts';
import { type ExceptionDetails, evaluate } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';
import type { LoadSettings, SelectorWait } from './load-settings.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;
/** Maximum number of characters of a selector, and of an exception's message, that are shown. */
const MAX_SHOWN = 200;

/** The error of a time-out names the option that was being waited for. */
export async function awaitContent(session: Session, settings: LoadSettings, step: Step, deadline: Deadline): Promise<void> {
  const { waitForSelector, waitForFunction, waitForTimeoutMs } = settings;
  if (waitForSelector) {
    const what = `{option} (${waitForSelector.selector.slice(0, MAX_SHOWN)})`;
    await deadline.awaiting(
      'waited_selector',
      what,
      untilTrue(() => ask(session, 'isInState', [waitForSelector.selector, waitForSelector.state], BOOLEAN), step),
    );
  }
  if (waitForFunction) {
    const question = { expression: functionExpression(waitForFunction) };
    const waiting = untilTrue(() => evaluate(session, question, BOOLEAN, failWaiting), step);
    await deadline.awaiting('waited_function', '{option}', waiting);
  }
  if (waitForTimeoutMs) await deadline.awaiting('waited_time', '{option}', step(sleep(waitForTimeoutMs)));
}

/** Asks Chromium whether the selector is valid, in the present document. Throws `invalid_request`. */
export async function checkSelector(session: Session, { selector }: SelectorWait): Promise<void> {
  if (await ask(session, 'isSelector', [selector], BOOLEAN)) return;
  const detail = '{option}: is not a CSS selector that Chromium can read: use one such as #chart.ready';
  throw new ServiceError('invalid_request', detail, { about: 'waited_selector' });
}

/** Throws `wait_failed` at once, because an expression that throws would mostly do so until the time-out. */
function failWaiting({ exception, text }: ExceptionDetails): never {
  const [thrown = ''] = (exception ? (exception.description ?? String(exception.value)) : text).split('\n');
  const detail = `{option} threw an exception: ${thrown.slice(0, MAX_SHOWN)}`;
  throw new ServiceError('wait_failed', `${detail}; return a falsy value until the content is there, for example with ?.`, {
    about: 'waited_function',
  });
}

/** If the page navigates, so that there is no answer, the question is repeated in the next document. */
export async function untilTrue(ask: () => Promise<boolean>, step: Step): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const answer = ask().catch((error: unknown) => {
      if (error instanceof DevToolsError) return false;
      throw error;
    });
    if (await step(answer)) return;
    await step(sleep(pause));
  }
}

function functionExpression(source: string): string {
  return `(async () => { const value = (${source}\n); return !!(await (typeof value === 'function' ? value() : value)) })()`;
}
