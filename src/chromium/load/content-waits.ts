/** Waits of the caller's own: for an element, for an expression, for a time. Asked again and again: most of it has no event. */
import { setTimeout as sleep } from 'node:timers/promises';
import { invalidRequest, ServiceError } from '../../errors.ts';
import type { Result, Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';
import type { LoadSettings, SelectorWait } from './load-settings.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;
/** Characters of an exception's message. */
const MAX_SHOWN = 200;
const NO_ANSWER: Result<'Runtime.evaluate'> = { result: { type: 'undefined' } };

type ExceptionDetails = NonNullable<Result<'Runtime.evaluate'>['exceptionDetails']>;

export async function awaitContent(session: Session, settings: LoadSettings, step: Step): Promise<void> {
  const { waitForSelector, waitForFunction, waitForTimeoutMs } = settings;
  if (waitForSelector) await untilTrue(session, selectorExpression(waitForSelector), step);
  if (waitForFunction) await untilTrue(session, functionExpression(waitForFunction), step, failWaiting);
  if (waitForTimeoutMs) await step(sleep(waitForTimeoutMs));
}

/** Asks Chromium whether it can read the selector, in whatever document is there. Throws `invalid_request`. */
export async function checkSelector(session: Session, { selector }: SelectorWait): Promise<void> {
  const expression = `document.createDocumentFragment().querySelector(${JSON.stringify(selector)})`;
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression });
  if (!exceptionDetails) return;
  const message = 'is not a CSS selector that Chromium can read: use one such as #chart.ready';
  throw invalidRequest([{ path: 'options.waitForSelector', message }]);
}

/** Throws `wait_failed`: what throws would mostly throw until the time is over. */
function failWaiting({ exception, text }: ExceptionDetails): never {
  const [thrown = ''] = (exception ? (exception.description ?? String(exception.value)) : text).split('\n');
  const detail = `options.waitForFunction threw an exception: ${thrown.slice(0, MAX_SHOWN)}`;
  throw new ServiceError('wait_failed', `${detail}; make it falsy until what it waits for is there, for example with ?.`);
}

/** Without `onThrow` what throws is not true yet. */
export async function untilTrue(
  session: Session,
  expression: string,
  step: Step,
  onThrow: (details: ExceptionDetails) => void = () => {},
): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const answer = session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    // A context that goes, because the page goes on to another document, is asked again in the next.
    const { result, exceptionDetails } = await step(answer.catch(() => NO_ANSWER));
    if (exceptionDetails) onThrow(exceptionDetails);
    else if (result.value === true) return;
    await step(sleep(pause));
  }
}

function functionExpression(source: string): string {
  return `(async () => { const value = (${source}\n); return Boolean(await (typeof value === 'function' ? value() : value)) })()`;
}

function selectorExpression({ selector, state }: SelectorWait): string {
  return `(${isInState})(${JSON.stringify(selector)}, ${JSON.stringify(state)})`;
}

// Runs in the page, sent as text; typed loosely, since this project's code has no DOM types.
declare const document: { querySelectorAll(selector: string): Iterable<PageElement> };
interface PageElement {
  checkVisibility(options: object): boolean;
  getBoundingClientRect(): { width: number; height: number };
}

function isInState(selector: string, state: SelectorWait['state']): boolean {
  const found = [...document.querySelectorAll(selector)];
  if (state === 'attached') return found.length > 0;
  const visible = found.some((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  });
  return state === 'visible' ? visible : !visible;
}
