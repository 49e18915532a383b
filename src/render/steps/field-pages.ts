/**
 * Makes the HTML of the appearances of form fields, with a page for each: a field and its size in CSS pixels in, a `div` of this size
 * out. Dates, lists and boxes are controls again, because their layout is Chromium's own.
 */
import type { BoxLooks, FieldOption, FormControl } from '../../tag-structure.ts';
import { escapeHtml } from '../request/values/escape-html.ts';

/** Boxes with size containment are never split between pages. */
const STYLE = `body { margin: 0 } body > div { box-sizing: border-box; overflow: hidden; contain: strict; white-space: pre } div + div { break-before: page }
div > * { position: relative; box-sizing: border-box; margin: 0 } input, select { border: 0; background: none; width: 100%; height: 100% }
.control { display: flex } .control > * { flex: none } .line { display: flex; align-items: center } .line > span { flex: 1; min-width: 0; overflow-x: clip } .text { white-space: pre-wrap; overflow-wrap: break-word }
select.menu { appearance: none } ::-webkit-calendar-picker-indicator { visibility: hidden }`;

export type State = 'on' | 'off' | undefined;

export function fieldPages(pages: string[]): string {
  return `<!doctype html><html lang=""><title>fields</title><style>${STYLE}</style>${pages.join('')}`;
}

export function fieldPage(field: FormControl, state: State, width: number, height: number): string {
  const { style } = field;
  const kind = state || isControl(field) ? 'control' : field.isMultiLine ? 'text' : 'line';
  const css = [
    `width:${width}px;height:${height}px;opacity:${style.opacity}`,
    ...(state ? [] : [renderText(field, width, height)]),
  ];
  const inner = state && field.looks ? renderBox(field, field.looks, state, width, height) : renderContent(field, width, height);
  return `<div class="${kind}" lang="${escapeHtml(style.language)}" style="${escapeHtml(css.join(';'))}">${inner}</div>`;
}

/** Whether the field is printed as a control, because Chromium lays it out differently from a text. */
function isControl({ kind, typed, isEditable }: FormControl): boolean {
  return kind === 'list' || (kind === 'combo' && !isEditable) || typed !== undefined;
}

/** Text in several lines ends at the border, and other text at the padding. */
function renderText(field: FormControl, width: number, height: number): string {
  const { style, isMultiLine } = field;
  if (isControl(field)) return '';
  const clip = isMultiLine ? `;clip-path:inset(${style.border.map((side) => `${side}px`).join(' ')})` : '';
  return `${style.css};${toPadding(style.inset, width, height)}${clip}`;
}

function renderContent(field: FormControl, width: number, height: number): string {
  const { style, kind, options, isMultiple, typed, shown } = field;
  const [x, y] = style.offset;
  const moved = `left:${x}px;top:${y}px`;
  const own = `style="${escapeHtml(`${style.css};${toPadding(style.inset, width, height)};${moved}`)}"`;
  if (kind === 'combo' && isControl(field)) return `<select class="menu" ${own}><option>${escapeHtml(shown)}</select>`;
  if (kind === 'list') return `<select ${isMultiple ? 'multiple' : ''} size="2" ${own}>${renderGroups(options)}</select>`;
  if (typed) return `<input type="${typed.type}" value="${escapeHtml(typed.value)}" step="${escapeHtml(typed.step)}" ${own}>`;
  return `<span style="${moved}">${escapeHtml(shown)}</span>`;
}

function renderGroups(options: FieldOption[]): string {
  let last = '';
  const rows = options.map(({ label, isSelected, group, css }) => {
    const head = group && group !== last ? `<optgroup label="${escapeHtml(group)}">` : last && !group ? '</optgroup>' : '';
    last = group;
    return `${head}<option style="${escapeHtml(css)}"${isSelected ? ' selected' : ''}>${escapeHtml(label)}</option>`;
  });
  return rows.join('');
}

function renderBox(
  { kind, isReadOnly, style }: FormControl,
  looks: BoxLooks,
  state: 'on' | 'off',
  width: number,
  height: number,
): string {
  const { scale } = looks;
  const { box, before, after } = looks[state];
  const [x, y] = style.offset;
  const place = `margin:0;position:relative;inset:auto;left:${x}px;top:${y}px;width:${width / scale}px;height:${height / scale}px`;
  const drawn = `transform:scale(${scale});transform-origin:0 0;translate:none;scale:none;opacity:1`;
  const rules = [
    `input { ${box}; ${place}; ${drawn} }`,
    ...(before ? [`input::before { ${before} }`] : []),
    ...(after ? [`input::after { ${after} }`] : []),
  ];
  const styles = rules.join(' ').replaceAll('<', '\\3c ');
  return `<style>@scope { ${styles} }</style><input type="${kind}"${state === 'on' ? ' checked' : ''}${isReadOnly ? ' disabled' : ''}>`;
}

function toPadding(inset: number[], width: number, height: number): string {
  const [top, bottom] = fitWithin(height, inset[0], inset[2]);
  const [left, right] = fitWithin(width, inset[3], inset[1]);
  return `padding:${top}px ${right}px ${bottom}px ${left}px`;
}

/** Shrinks the insets of a side if they leave no room for the text. */
function fitWithin(side: number, before = 0, after = 0): [before: number, after: number] {
  const share = Math.min(1, side / (before + after || 1));
  return [before * share, after * share];
}
