/** Draws the pages of a PDF below each other: canvas and text, and nothing of it as markup. */
import { GlobalWorkerOptions, getDocument, type PDFPageProxy, TextLayer } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerAddress;

export async function showPages(place: HTMLElement, bytes: Uint8Array, left: AbortSignal): Promise<void> {
  const task = getDocument({ data: bytes.slice(), useWasm: false, useSystemFonts: false, enableXfa: false, verbosity: 0 });
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) target.dispatchEvent(new Event('seen'));
    },
    { rootMargin: '600px' },
  );
  left.addEventListener('abort', () => {
    seen.disconnect();
    void task.destroy();
  });
  const pdf = await task.promise;
  place.replaceChildren();
  for (let number = 1; number <= pdf.numPages && !left.aborted; number++) {
    const page = await pdf.getPage(number);
    const sheet = sheetFor(page, number, pdf.numPages, place.clientWidth);
    sheet.addEventListener('seen', () => void draw(page, sheet).catch(() => {}), { once: true });
    place.append(sheet);
    seen.observe(sheet);
  }
}

function sheetFor(page: PDFPageProxy, number: number, count: number, room: number): HTMLElement {
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(1.5, (room - 32) / width);
  const sheet = document.createElement('section');
  sheet.className = 'sheet';
  sheet.setAttribute('aria-label', `Page ${number} of ${count}`);
  sheet.style.width = `${width * scale}px`;
  sheet.style.height = `${height * scale}px`;
  sheet.style.setProperty('--total-scale-factor', String(scale));
  return sheet;
}

async function draw(page: PDFPageProxy, sheet: HTMLElement): Promise<void> {
  const scale = Number(sheet.style.getPropertyValue('--total-scale-factor'));
  const viewport = page.getViewport({ scale: scale * devicePixelRatio });
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  canvas.width = viewport.width;
  canvas.height = viewport.height;
  await page.render({ canvas, viewport }).promise;
  const container = document.createElement('div');
  container.className = 'textLayer';
  sheet.replaceChildren(canvas, container);
  await new TextLayer({
    textContentSource: page.streamTextContent(),
    container,
    viewport: page.getViewport({ scale: 1 }),
  }).render();
}
