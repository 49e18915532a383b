/** Waits for an element, an expression or a time that the caller names. Most of these have no event, so that they are polled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Deadline } from '../../deadline.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { DevToolsError, type Session } from '../devtools/connection.ts';
import { ANYTHING, type ExceptionDetails, evaluate, shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';
import type { LoadSettings, SelectorWait } from './load-settings.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;
/** Maximum number of characters of a selector, and of an exception's message, that are shown. */
const MAX_SHOWN = 200;
const BOOLEAN = shape(Type.Boolean());

/** The error of a time-out names the option that was being waited for. */
export async function awaitContent(session: Session, settings: LoadSettings, step: Step, deadline: Deadline): Promise<void> {
  const { waitForSelector, waitForFunction, waitForTimeoutMs } = settings;
  if (waitForSelector) {
    const what = `options.waitForSelector (${waitForSelector.selector.slice(0, MAX_SHOWN)})`;
    await deadline.awaiting(what, untilTrue(session, selectorExpression(waitForSelector), step));
  }
  if (waitForFunction) {
    const waiting = untilTrue(session, functionExpression(waitForFunction), step, failWaiting);
    await deadline.awaiting('options.waitForFunction', waiting);
  }
  if (waitForTimeoutMs) await deadline.awaiting('options.waitForTimeout', step(sleep(waitForTimeoutMs)));
}

/** Asks Chromium whether the selector is valid, in the present document. Throws `invalid_request`. */
export async function checkSelector(session: Session, { selector }: SelectorWait): Promise<void> {
  const expression = `document.createDocumentFragment().querySelector(${JSON.stringify(selector)})`;
  const message = 'is not a CSS selector that Chromium can read: use one such as #chart.ready';
  await evaluate(session, { expression }, ANYTHING, () => {
    throw invalidRequest([{ path: 'options.waitForSelector', message }]);
  });
}

/** Throws `wait_failed` at once, because an expression that throws would mostly do so until the time-out. */
function failWaiting({ exception, text }: ExceptionDetails): never {
  const [thrown = ''] = (exception ? (exception.description ?? String(exception.value)) : text).split('\n');
  const detail = `options.waitForFunction threw an exception: ${thrown.slice(0, MAX_SHOWN)}`;
  throw new ServiceError('wait_failed', `${detail}; return a falsy value until the content is there, for example with ?.`);
}

/** If the page navigates, so that there is no answer, the question is repeated in the next document. */
export async function untilTrue(
  session: Session,
  expression: string,
  step: Step,
  onThrow?: (details: ExceptionDetails) => never,
): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const answer = evaluate(session, { expression }, BOOLEAN, onThrow).catch((error: unknown) => {
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

function selectorExpression({ selector, state }: SelectorWait): string {
  return `(${isInState})(${JSON.stringify(selector)}, ${JSON.stringify(state)})`;
}

// This runs in the page and is sent as text. Its types are loose, because this project has no DOM types.
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
