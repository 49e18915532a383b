/** Makes the print of texts of form fields that the fonts of a PDF cannot show: what widgets show in, a job with a page for each out. */
import type { PrintJob } from '../../chromium/print-once.ts';
import type { WidgetText } from '../../pdf/forms/widget-texts.ts';
import { POINTS_PER_INCH } from '../../units.ts';
import { escapeHtml } from '../request/values/escape-html.ts';
import { generatedPage } from '../steps/generated-page.ts';

const STYLE = `body { margin: 0 } body > div { box-sizing: border-box; contain: strict; white-space: pre; line-height: 1.2 } div + div { break-before: page }
.line { display: flex; align-items: center } .line > span { flex: 1; min-width: 0 } .text { white-space: pre-wrap; overflow-wrap: break-word }
.comb { display: flex; align-items: center; padding: 0 } .comb > span { flex: none; text-align: center } .list > p { margin: 0; min-height: 1.2em } .selected { background: #99c1da }`;

/** Makes texts without a size as large as fits, as libpdf does with other texts. */
const FIT = `(() => {
  for (const field of document.querySelectorAll('[data-fit]')) {
    const fits = () => field.scrollWidth <= field.clientWidth && field.scrollHeight <= field.clientHeight;
    for (let size = Number(field.dataset.fit); size > 4 && !fits(); size--) field.style.fontSize = size - 1 + 'pt';
  }
  return true;
})()`;

export function fieldTextsPage(texts: readonly WidgetText[]): string {
  const language = texts[0]?.language ?? '';
  return `<!doctype html><html lang="${escapeHtml(language)}"><title>fields</title><style>${STYLE}</style>${texts.map(toHtml).join('')}`;
}

export function fieldTextsJob(texts: readonly WidgetText[], html: string, hanLanguages: string): PrintJob {
  const side = (of: 'width' | 'height') => (Math.ceil(Math.max(...texts.map((text) => text[of]))) + 1) / POINTS_PER_INCH;
  const { content, load, print } = generatedPage(html, side('width'), side('height'));
  return { content, load: { ...load, waitForFunction: FIT }, print: { ...print, pageRanges: '' }, hanLanguages };
}

function toHtml(text: WidgetText): string {
  const { kind, lines, align, cells, width } = text;
  const [first = { text: '' }] = lines;
  const contents = {
    line: () => `<span dir="auto">${escapeHtml(first.text)}</span>`,
    text: () => `<span dir="auto">${escapeHtml(first.text)}</span>`,
    comb: () =>
      inCells(
        [...new Intl.Segmenter().segment(first.text)].map(({ segment }) => segment),
        cells,
        width / cells,
        align,
      ),
    list: () =>
      lines.map((line) => `<p dir="auto"${line.isSelected ? ' class="selected"' : ''}>${escapeHtml(line.text)}</p>`).join(''),
  };
  return `<div class="${kind}" style="${toCss(text)}"${toFit(text)}>${contents[kind]()}</div>`;
}

function inCells(characters: string[], cells: number, width: number, align: WidgetText['align']): string {
  const free = Math.max(0, cells - characters.length);
  const before = { left: 0, center: Math.floor(free / 2), right: free }[align];
  const all = [...Array<string>(before).fill(''), ...characters];
  return all.map((each) => `<span style="width: ${width}pt">${escapeHtml(each)}</span>`).join('');
}

function toCss({ width, height, padding, kind, fontSize, family, isBold, isItalic, color, align }: WidgetText): string {
  const font = `${isItalic ? 'italic ' : ''}${isBold ? 'bold ' : ''}${fontSize || autoSize(height, kind)}pt/1.2 ${family}`;
  const sides = kind === 'comb' ? '' : `padding: ${kind === 'list' ? '1pt' : `${padding}pt`}; `;
  return `width: ${width}pt; height: ${height}pt; ${sides}font: ${font}; color: rgb(${color.join(' ')}); text-align: ${align}`;
}

function toFit({ kind, fontSize, height }: WidgetText): string {
  return fontSize || kind === 'list' ? '' : ` data-fit="${autoSize(height, kind)}"`;
}

/** The largest size that is tried. */
function autoSize(height: number, kind: WidgetText['kind']): number {
  return kind === 'text' || kind === 'list' ? 12 : Math.max(4, Math.min(14, Math.round((height - 4) * 0.7)));
}
