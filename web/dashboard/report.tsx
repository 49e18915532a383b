/** Shows the report of a render: missing parts, network requests and durations. */

import type { Report, Warning } from '../shared/rendered-pdf.ts';
import { sizeText } from '../shared/size-text.ts';
import { WARNING_TITLES } from '../shared/warning-titles.ts';
import { Facts } from './components.tsx';
import { countText, numberText, sentence } from './format.ts';

export function ReportView({ report }: { report: Report }) {
  const { network, warning_count, timings } = report;
  return (
    <section>
      <h2>Render</h2>
      {warning_count === 0 ? <p class="note good">The render has no warnings.</p> : <WarningList report={report} />}
      <Facts
        facts={[
          ['Requests', numberText(network.requests)],
          ['Loaded', sizeText(network.bytes)],
          ...Object.entries(timings).map(([phase, ms]): [string, string] => [
            phaseTitle(phase),
            `${numberText(Math.round(ms))} ms`,
          ]),
        ]}
      />
    </section>
  );
}

/** Shows nothing if there are none. */
export function WarningList({ report: { warnings, warning_count } }: { report: Report }) {
  if (warning_count === 0) return null;
  return (
    <div class="note warn">
      <p class="note-title">{countText(warning_count, 'warning')}</p>
      <ul>
        {warnings.map((warning) => (
          <WarningLine key={JSON.stringify(warning)} warning={warning} />
        ))}
      </ul>
    </div>
  );
}

function WarningLine({ warning }: { warning: Warning }) {
  const where = warning.url ?? warning.host ?? warning.where;
  return (
    <li>
      <strong>{WARNING_TITLES[warning.kind] ?? warning.kind}</strong>: <bdi>{sentence(warning.message)}</bdi>
      {where && <code class="block break">{where}</code>}
    </li>
  );
}

export function phaseTitle(phase: string): string {
  return phase.charAt(0).toUpperCase() + phase.slice(1);
}
