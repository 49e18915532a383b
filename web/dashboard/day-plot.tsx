/** Shows documents per day as columns, and as a table for screen readers and for exact figures. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { countText, dayText, numberText } from './format.ts';
import type { Day } from './records.ts';
import { type Column, Table } from './table.tsx';

/** The width until the plot has been measured. All lengths here are in CSS pixels. */
const FIRST_WIDTH = 720;
const HEIGHT = 200;
const LEFT = 44;
const BOTTOM = 22;
const TOP = 10;
const GAP = 0.22;
/** The days of the longest month, so that columns stay where they are from day to day. */
const PLACES = 31;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;

export function DayPlot({ days }: { days: Day[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const { place, width } = useWidth();
  const top = roundUp(Math.max(...days.map(({ documents }) => documents), 0));
  const day = chosen === null ? undefined : days[chosen];
  const step = (event: KeyboardEvent) => {
    const to = stepTo(event.key, chosen ?? days.length, days.length);
    if (to === undefined) return;
    event.preventDefault();
    setChosen(to);
  };
  return (
    <section class="stack">
      <h2>Documents per day</h2>
      <div
        class="plot"
        ref={place}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from day to day
        tabIndex={0}
        aria-label={`Documents per day, ${countText(total(days), 'document')} in all. Arrow keys read out days; a table follows.`}
        onKeyDown={step}
        onBlur={() => setChosen(null)}
        onMouseLeave={() => setChosen(null)}
      >
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          <Lines top={top} width={width} />
          {days.map((one, at) => (
            <DayColumn key={one.date} day={one} at={at} width={width} top={top} chosen={at === chosen} onPoint={setChosen} />
          ))}
        </svg>
      </div>
      <p class="plot-value" role="status">
        {day ? `${dayText(day.date)}: ${countText(day.documents, 'document')}` : '\u00a0'}
      </p>
      <details>
        <summary>As a table</summary>
        <Table caption="Documents per day" look="days" columns={COLUMNS} rows={days} keyOf={({ date }) => date} />
      </details>
    </section>
  );
}

interface ColumnProps {
  day: Day;
  at: number;
  width: number;
  top: number;
  chosen: boolean;
  onPoint(at: number): void;
}

function DayColumn({ day, at, width, top, chosen, onPoint }: ColumnProps) {
  const slot = (width - LEFT) / PLACES;
  const x = LEFT + at * slot;
  const height = day.documents === 0 ? 0 : Math.max(2, (day.documents / top) * PLOT_HEIGHT);
  const number = Number(day.date.slice(8));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the plot do the same
    <g onMouseEnter={() => onPoint(at)} onPointerDown={() => onPoint(at)}>
      <rect class="slot" x={x} y={0} width={slot} height={HEIGHT} />
      <rect
        class={chosen ? 'column chosen' : 'column'}
        x={x + (slot * GAP) / 2}
        y={TOP + PLOT_HEIGHT - height}
        width={slot * (1 - GAP)}
        height={height}
      />
      {number % 5 === 0 || number === 1 ? (
        <text x={x + slot / 2} y={HEIGHT - 5} text-anchor="middle">
          {number}
        </text>
      ) : null}
    </g>
  );
}

function Lines({ top, width }: { top: number; width: number }) {
  return (
    <>
      {[0, 0.5, 1]
        .filter((part) => Number.isInteger(part * top))
        .map((part) => {
          const y = TOP + PLOT_HEIGHT * (1 - part);
          return (
            <g key={part}>
              <line x1={LEFT} x2={width} y1={y} y2={y} />
              <text x={LEFT - 8} y={y + 4} text-anchor="end">
                {numberText(part * top)}
              </text>
            </g>
          );
        })}
    </>
  );
}

/** Measures the plot, so that its text keeps its size. */
function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const resized = new ResizeObserver(([entry]) => {
      const { width: measured = 0 } = entry?.contentRect ?? {};
      if (measured > LEFT) setWidth(measured); // a page that is hidden has none
    });
    if (place.current) resized.observe(place.current);
    return () => resized.disconnect();
  }, []);
  return { place, width };
}

const COLUMNS: Array<Column<Day>> = [
  { title: 'Day (UTC)', cell: ({ date }) => dayText(date) },
  { title: 'Documents', look: 'number', cell: ({ documents }) => numberText(documents) },
];

/** Rounds up to 1, 2, 5, 10, 20, 50 and so on. */
function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10);
}

function stepTo(key: string, from: number, count: number): number | undefined {
  const steps: Record<string, number> = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: count - 1 };
  const to = steps[key];
  return to === undefined ? undefined : Math.min(Math.max(to, 0), count - 1);
}

function total(days: Day[]): number {
  return days.reduce((sum, { documents }) => sum + documents, 0);
}
