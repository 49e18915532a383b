/** Shows the usage of the account in a month, day by day. */

import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { sizeText } from '../shared/size-text.ts';
import { replaceQuery } from '../shell/route.ts';
import { useRead } from './cached.ts';
import { ErrorMessage, Loading, PageHead, Span } from './components.tsx';
import { DayPlot } from './day-plot.tsx';
import { countText, dayText, monthText, numberText } from './format.ts';
import type { PastUsage, Usage } from './records.ts';
import { UsageSums } from './usage-sums.tsx';

const MONTHS = 12;

export function UsagePage({ query }: { query: URLSearchParams }) {
  const [month, setMonth] = useState(query.get('month') ?? '');
  const usage = useRead<Usage | PastUsage>(`/v1/usage${month && `?month=${month}`}`);
  return (
    <>
      <PageHead title="Usage">
        <MonthChoice
          month={month}
          onChange={(chosen) => {
            setMonth(chosen);
            replaceQuery({ month: chosen });
          }}
        />
        <Button label="Refresh" onClick={usage.reload} />
      </PageHead>
      <ErrorMessage error={usage.error} onRetry={usage.reload} />
      {!usage.value && usage.loading && <Loading what="the usage" />}
      {usage.value && <UsageFigures usage={usage.value} />}
    </>
  );
}

/** This month and those before it, in UTC as the service counts them. */
export function MonthChoice({ month, onChange }: { month: string; onChange(month: string): void }) {
  const now = new Date();
  const past = Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back - 1)).toISOString(),
  );
  return (
    <select aria-label="Month" value={month} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">This month</option>
      {past.map((start) => (
        <option key={start} value={start.slice(0, 'yyyy-mm'.length)}>
          {monthText(start)}
        </option>
      ))}
    </select>
  );
}

export function UsageFigures({ usage }: { usage: Usage | PastUsage }) {
  return 'plan' in usage ? <Figures usage={usage} /> : <PastFigures usage={usage} />;
}

function PastFigures({ usage }: { usage: PastUsage }) {
  const { documents, daily } = usage;
  return (
    <>
      <div class="key-figures">
        <section>
          <h2>Documents in this month</h2>
          <p class="figure">{numberText(documents.used)}</p>
        </section>
      </div>
      <DayPlot days={daily} />
      <UsageSums usage={usage} />
    </>
  );
}

function Figures({ usage }: { usage: Usage }) {
  const { plan, period, documents, storage, daily } = usage;
  return (
    <>
      <div class="key-figures">
        <section>
          <h2>Documents this month</h2>
          <p class="figure">
            {numberText(documents.used)}
            {documents.limit !== null && <span class="hint"> of {numberText(documents.limit)}</span>}
          </p>
          <Allowance documents={documents} />
        </section>
        <section>
          <h2>Stored now</h2>
          <p class="figure">{sizeText(storage.bytes)}</p>
          <p class="hint">{countText(storage.documents, 'document')}</p>
        </section>
        <section>
          <h2>Plan</h2>
          <p class="figure">
            <bdi>{plan}</bdi>
          </p>
          <p class="hint">
            A new month begins on {dayText(period.end)} (UTC), <Span to={period.end} />
          </p>
        </section>
      </div>
      <DayPlot days={daily} />
      <UsageSums usage={usage} />
    </>
  );
}

function Allowance({ documents: { limit, used, remaining } }: Pick<Usage, 'documents'>) {
  if (limit === null || remaining === null) return <p class="hint">No limit</p>;
  const isNearEnd = remaining <= limit / 10;
  return (
    <>
      <meter
        aria-label="Documents used this month"
        min={0}
        max={Math.max(1, limit)}
        value={Math.min(used, limit)}
        class={isNearEnd ? 'near' : ''}
      >
        {numberText(used)} of {numberText(limit)}
      </meter>
      <p class={isNearEnd ? 'error' : 'hint'}>{remaining === 0 ? 'None left' : `${numberText(remaining)} left`}</p>
    </>
  );
}
