/** The pages in their order: each is a button that selects it, and can be dragged before another one. */
import { useEffect, useRef } from 'preact/hooks';
import { drawThumbnail } from '../../shared/pdf-view/draw-thumbnail.ts';
import { moveSelectedBefore, type Page, pages, select, selected, toggle } from './assembly.ts';

const WIDTH = 112;

export function PageList() {
  return (
    <ol class="page-cards" aria-label="Pages of the new PDF">
      {pages.value.map((page, index) => (
        <PageCard key={page.key} page={page} place={index + 1} />
      ))}
    </ol>
  );
}

function PageCard({ page, place }: { page: Page; place: number }) {
  const { key, source, number, turn } = page;
  const isSelected = selected.value.has(key);
  const onDragStart = (event: DragEvent) => {
    if (!isSelected) select([key]);
    event.dataTransfer?.setData('text/plain', String(key)); // Firefox drags nothing without data
  };
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer?.files.length) return; // files are added at the end
    event.preventDefault();
    event.stopPropagation();
    moveSelectedBefore(page);
  };
  return (
    <li onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <button
        type="button"
        class="page-card"
        draggable
        aria-pressed={isSelected}
        onClick={() => toggle(key)}
        onDragStart={onDragStart}
      >
        <Picture page={page} />
        <span class="page-caption">
          {place}: page {number} of <bdi>{source.name}</bdi>
          {turn !== 0 && `, turned by ${turn}°`}
        </span>
      </button>
    </li>
  );
}

/** Is drawn when it becomes visible. */
function Picture({ page: { source, number, turn } }: { page: Page }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let isCurrent = true;
    const draw = async () => {
      const canvas = await drawThumbnail(await source.pdf.page(number), WIDTH, turn);
      if (isCurrent) element.replaceChildren(canvas);
    };
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      void draw().catch(() => {}); // the page stays blank if it cannot be drawn
    });
    seen.observe(element);
    return () => {
      isCurrent = false;
      seen.disconnect();
    };
  }, [source, number, turn]);
  return <span ref={place} class="page-picture" />;
}
