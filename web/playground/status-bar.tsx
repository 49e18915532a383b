/** Shows the result of the last render, and what can be done about errors. Screen readers announce it politely. */

import { useSignal } from '@preact/signals';
import { Button } from '../shared/button.tsx';
import { Icon } from '../shared/icon.tsx';
import { sizeText } from '../shared/size-text.ts';
import { milliseconds, plural } from './figures.ts';
import { showData, showFiles, showOption, showTemplate } from './panes.ts';
import type { Rendered } from './render-call.ts';
import { isLive, isOutdated, loop, type RenderState, rendered, renderNow, renderSeconds, renderState } from './render-loop.ts';
import { optionErrors, optionName, otherErrors, templateError } from './request-errors.ts';
import { WarningList } from './warning-list.tsx';

export function StatusBar() {
  const state = renderState.value;
  const result = rendered.value;
  const isSlow = Boolean(renderSeconds.value);
  return (
    <section class="status" aria-label="Result">
      <p class="visually-hidden" role="status">
        {isSlow ? 'Still rendering.' : announcement(state, result)}{' '}
        {isOutdated.value && (isSlow || !isLive.value || state.kind !== 'done') && 'The PDF that is shown is outdated.'}
      </p>
      {isBad(state) && <ErrorNotice state={state} />}
      {result ? <Figures result={result} state={state} /> : <div class="figures">{isSlow && <SlowRender />}</div>}
    </section>
  );
}

function announcement(state: RenderState, result: Rendered | undefined): string {
  if (state.kind === 'done' && result) {
    const { warning_count: warnings } = result.report;
    return `Rendered: ${plural(result.pages, 'page')}, ${sizeText(result.pdf.length)}, ${warnings ? plural(warnings, 'warning') : 'no warnings'}.`;
  }
  if (state.kind === 'problem') return `Not rendered: ${state.problem.title}. ${state.problem.detail ?? ''}`;
  if (state.kind === 'unsent') return `Not rendered: ${state.message}`;
  if (state.kind === 'waiting') return `Not rendered yet: ${state.problem.title}. The playground tries again automatically.`;
  return state.kind === 'cancelled' ? 'Cancelled.' : '';
}

/** Shows how long the render takes, and stops it on request. Only the time changes, which screen readers do not announce. */
function SlowRender() {
  return (
    <span class="slow">
      Rendering for {renderSeconds.value} s
      <Button label="Cancel" look="small" onClick={cancel} />
    </span>
  );
}

/** The button disappears, so the focus moves to the one that renders again. */
function cancel(): void {
  loop.cancel();
  document.querySelector<HTMLElement>('.top-bar .primary')?.focus();
}

type Bad = Extract<RenderState, { kind: 'problem' | 'unsent' | 'waiting' }>;

function isBad(state: RenderState): state is Bad {
  return state.kind === 'problem' || state.kind === 'unsent' || state.kind === 'waiting';
}

function ErrorNotice({ state }: { state: Bad }) {
  return (
    <div class={state.kind === 'waiting' ? 'note warn error-notice' : 'note bad error-notice'}>
      <p>
        <strong>{headline(state)}</strong> {describeState(state)}
      </p>
      <ErrorLocations />
      <Sizes state={state} />
      <Violations state={state} />
      {canTryNow(state) && (
        <p>
          <Button label="Try now" look="small" onClick={() => void renderNow()} />
        </p>
      )}
    </div>
  );
}

function canTryNow(state: Bad): boolean {
  return state.kind === 'waiting' || (state.kind === 'unsent' && state.offline);
}

function headline(state: Bad): string {
  if (state.kind === 'unsent') return state.offline ? 'No connection.' : 'Not sent.';
  return `${state.problem.title}.`;
}

function describeState(state: Bad): string {
  if (state.kind === 'unsent') return state.message;
  if (state.kind === 'waiting') return `Trying again in ${plural(state.seconds, 'second')}.`;
  const { errors, detail } = state.problem;
  return errors?.length || state.problem.violations ? '' : (detail ?? '');
}

/** The size of the document and the limit, for errors with status 413. */
function Sizes({ state }: { state: Bad }) {
  if (state.kind !== 'problem' || state.problem.status !== 413) return null;
  const { limit, actual } = state.problem;
  if (typeof limit !== 'number') return null;
  return (
    <p>
      At most {sizeText(limit)}
      {typeof actual === 'number' && <>; there are {sizeText(actual)}</>}.
    </p>
  );
}

interface Violation {
  clause: string;
  message: string;
  selector: string | null;
  remedy: string;
}

/** Shows what violates the profiles of `conformance`, each with its element and the remedy. */
function Violations({ state }: { state: Bad }) {
  const violations = state.kind === 'problem' ? state.problem.violations : undefined;
  if (!Array.isArray(violations)) return null;
  return (
    <ul class="violations" aria-label="Violations">
      {(violations as Violation[]).map(({ clause, message, selector, remedy }, index) => (
        <li key={index}>
          <strong>{message}</strong> {selector && <code>{selector}</code>} {remedy} ({clause})
        </li>
      ))}
    </ul>
  );
}

/** The errors, each with a button that shows the field to correct. */
function ErrorLocations() {
  const line = templateError.value;
  const errors = [
    ...optionErrors.value.map((error) => ({ ...error, show: () => showOption(optionName(error)) })),
    ...otherErrors.value.map((error) => ({ ...error, show: findPlace(error.path) })),
  ];
  if (!line && !errors.length) return null;
  return (
    <ul>
      {line && (
        <li>
          Template, line {line.line}:{' '}
          <button type="button" class="linklike" onClick={showTemplate}>
            show
          </button>
        </li>
      )}
      {errors.map(({ path, message, show }) => (
        <li key={`${path}${message}`}>
          <button type="button" class="linklike" onClick={show}>
            <code>{path}</code>
          </button>{' '}
          {message}
        </li>
      ))}
    </ul>
  );
}

function findPlace(path: string): () => void {
  if (path.startsWith('data')) return showData;
  return path.startsWith('assets') ? showFiles : showTemplate;
}

const PHASES = ['queue', 'load', 'print', 'finish'] as const;

function Figures({ result, state }: { result: Rendered; state: RenderState }) {
  const { pages, pdf, report, elapsedMs } = result;
  const open = useSignal(false);
  const { warning_count: warnings, timings } = report;
  const hasWarnings = warnings > 0 && !isBad(state); // else the reason has their place
  return (
    <>
      {open.value && hasWarnings && <WarningList result={result} />}
      <div class="figures">
        {renderSeconds.value ? <SlowRender /> : <Mark state={state} />}
        <span>{plural(pages, 'page')}</span>
        <span>{sizeText(pdf.length)}</span>
        <span class="total">{milliseconds(elapsedMs)} in total</span>
        <span class="phases">
          {PHASES.map((phase) => (
            <span key={phase}>
              {phase} {milliseconds(timings[phase])}
            </span>
          ))}
        </span>
        {hasWarnings ? (
          <button
            type="button"
            class="linklike warned"
            aria-expanded={open.value}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            <Icon name="alert" />
            {plural(warnings, 'warning')}
          </button>
        ) : (
          <span>{warnings > 0 ? plural(warnings, 'warning') : 'no warnings'}</span>
        )}
      </div>
    </>
  );
}

function Mark({ state }: { state: RenderState }) {
  const isCurrent = !isBad(state) && !isOutdated.value;
  return (
    <span class={isCurrent ? 'mark good' : isBad(state) ? 'mark bad' : 'mark'}>
      <Icon name={isCurrent ? 'check' : 'alert'} />
      {isCurrent ? 'Rendered' : isBad(state) ? 'Last PDF' : 'Outdated'}
    </span>
  );
}
