/** Lists the warnings of a render. Those that have a place lead to it. */
import type { Warning } from '../shared/rendered-pdf.ts';
import { WARNING_TITLES } from '../shared/warning-titles.ts';
import type { Rendered } from './render-call.ts';
import { hasPlace, showWarning } from './warning-places.ts';

export function WarningList({ result }: { result: Rendered }) {
  const { warnings, warning_count: count } = result.report;
  return (
    <ul class="warnings" aria-label="Warnings">
      {warnings.map((warning, index) => (
        <li key={index}>
          <Title warning={warning} result={result} /> {describeAddress(warning)}
          {warning.message}
        </li>
      ))}
      {count > warnings.length && <li>And {count - warnings.length} more.</li>}
    </ul>
  );
}

function Title({ warning, result }: { warning: Warning; result: Rendered }) {
  const title = <strong>{WARNING_TITLES[warning.kind] ?? warning.kind}:</strong>;
  if (!hasPlace(warning)) return title;
  return (
    <button
      type="button"
      class="linklike"
      title="Show it on the page"
      onFocus={() => void showWarning(warning, result, false)}
      onClick={() => void showWarning(warning, result, true)}
    >
      {title}
    </button>
  );
}

function describeAddress({ url, host }: Warning): string {
  const what = url ?? host;
  return what ? `${what}, ` : '';
}
