/** Shows the pages of two PDFs that differ: side by side, with the areas outlined and the lines of text that differ. */
import { countText } from './format.ts';
import type { Comparison } from './records.ts';

type Page = Comparison['pages'][number];
type Side = 'before' | 'after';
type Names = [before: string, after: string];

const SIDES: Side[] = ['before', 'after'];

/** `level` is that of the headings of pages. */
export function PageDifferences({ names, found, level }: { names: Names; found: Comparison; level: 3 | 4 }) {
  const differing = found.pages.filter(({ status }) => status !== 'same');
  return differing.map((page) => <PageDifference key={`${page.before}-${page.after}`} {...{ page, names, level }} />);
}

export function countsText({ equal, pages, changed, added, removed }: Comparison): string {
  if (equal) return `No difference in ${countText(pages.length, 'page')}`;
  const counts = Object.entries({ changed, added, removed }).filter(([, count]) => count > 0);
  return `${countText(pages.length, 'page')}: ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}`;
}

function PageDifference({ page, names, level }: { page: Page; names: Names; level: 3 | 4 }) {
  const { status, pixels, areas, text } = page;
  const Heading = `h${level}` as const;
  return (
    <article class="difference">
      <Heading class="minor">
        Page {page.after ?? page.before}: {status}
        {status === 'changed' && `, ${countText(pixels, 'pixel')} in ${countText(areas.length, 'area')}`}
      </Heading>
      {page.pictures ? (
        <div class="sides">
          {SIDES.map((side, index) => (
            <PageSide key={side} page={page} side={side} name={names[index] ?? side} />
          ))}
        </div>
      ) : (
        <p class="hint">Only the first pages that differ have pictures.</p>
      )}
      {(text.removed.length > 0 || text.added.length > 0) && (
        <ul class="lines" aria-label="Lines that differ">
          {text.removed.map((line) => (
            <li key={line}>
              <del>{line}</del>
            </li>
          ))}
          {text.added.map((line) => (
            <li key={line}>
              <ins>{line}</ins>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

function PageSide({ page, side, name }: { page: Page; side: Side; name: string }) {
  const { areas, width, height, pictures } = page;
  const picture = pictures?.[side];
  const share = (length: number, whole: number) => `${(100 * length) / whole}%`;
  return (
    <figure>
      <figcaption>{picture ? `Page ${page[side]} of ${name}` : `Not in ${name}`}</figcaption>
      {picture && (
        <div class="compared-page">
          <img src={`data:image/png;base64,${picture}`} alt={`Page ${page[side]} of ${name}`} />
          {areas.map((area) => (
            <span
              key={JSON.stringify(area)}
              class="area"
              style={{
                left: share(area.x, width),
                top: share(area.y, height),
                width: share(area.width, width),
                height: share(area.height, height),
              }}
            />
          ))}
        </div>
      )}
    </figure>
  );
}
