/** Small pieces of every page: names, times, faults, what is shown before anything is there. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { faultWords, spanText, timeText, utcText } from './format.ts';

const NOW_EVERY_MS = 15_000;

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, NOW_EVERY_MS);

/** What somebody else has named: set apart from the text around it, whichever way it is written. */
export function Name({ children }: { children: string }) {
  return <bdi class="name">{children}</bdi>;
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {timeText(at)}
    </time>
  );
}

/** "in 3 days" */
export function Span({ to }: { to: string }) {
  return (
    <time dateTime={to} title={utcText(to)}>
      {spanText(to, now.value)}
    </time>
  );
}

export function Fault({ fault, onRetry }: { fault: unknown; onRetry?: (() => void) | undefined }) {
  if (fault === undefined || fault === null) return null;
  const { text, details, requestId } = faultWords(fault);
  return (
    <div class="note bad" role="alert">
      <p>{text}</p>
      {details.length > 0 && (
        <ul>
          {details.map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      )}
      {requestId && (
        <p class="hint">
          Request <code>{requestId}</code>
        </p>
      )}
      {onRetry && (
        <div class="actions">
          <button type="button" class="button small" onClick={onRetry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="hint" role="status">
      Loading {what}…
    </p>
  );
}

/** What to do where there is nothing yet. */
export function Empty({ title, curl, children }: { title: string; curl?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
      {curl && <Command text={curl} />}
    </div>
  );
}

/** A command to paste into a terminal. */
export function Command({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section class="command" aria-label="Command" tabIndex={0}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}

/** A name and what it stands for. */
export function Facts({ facts }: { facts: Array<[name: string, value: ComponentChildren]> }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function PageHead({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  return (
    <div class="page-head">
      <h1>{title}</h1>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
