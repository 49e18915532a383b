/** Small components that all pages use: names, times, errors and empty states. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../shared/button.tsx';
import { errorText, spanText, timeText, utcText } from './format.ts';

const NOW_EVERY_MS = 15_000;

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, NOW_EVERY_MS);

/** What the request log says about why something failed: numbers, names from a list, and the fields that were not valid. */
export function Cause({ cause = {} }: { cause: Record<string, unknown> | undefined }) {
  const entries = Object.entries(cause);
  if (!entries.length) return null;
  return (
    <ul>
      {entries.map(([name, value]) => (
        <li key={name}>
          {name === 'fields' ? 'Not valid' : <code>{name}</code>}: {Array.isArray(value) ? value.join(', ') : String(value)}
        </li>
      ))}
    </ul>
  );
}

/** A name that somebody else chose. It is isolated, because it may be written from right to left. */
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

export function ErrorMessage({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  if (error === undefined || error === null) return null;
  const { text, details, requestId } = errorText(error);
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
          <Button label="Try again" look="small" onClick={onRetry} />
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

/** Says what to do if a list is empty. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section class="command" aria-label="Command" tabIndex={0}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}

/** A list of names and values. */
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
