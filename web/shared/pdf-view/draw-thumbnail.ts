/** Draws a page of a PDF small: the page, its width in CSS pixels and a turn in degrees in, a canvas out. */
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

export async function drawThumbnail(page: PDFPageProxy, cssWidth: number, turn = 0): Promise<HTMLCanvasElement> {
  const rotation = (page.rotate + turn) % 360;
  const { width } = page.getViewport({ scale: 1, rotation });
  const viewport = page.getViewport({ scale: (cssWidth * (devicePixelRatio || 1)) / width, rotation });
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  await page.render({ canvas, viewport }).promise;
  return canvas;
}
