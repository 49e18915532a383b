/** Draws the processor time of renders as an SVG, with one small plot for each thing that grows. */
export interface Cost {
  /** What grows, such as `pages`. */
  grows: string;
  size: number;
  processorMs: number;
  rounds: number;
}

const WIDTH = 220;
const HEIGHT = 200;
const MARGIN = { left: 46, right: 24, top: 34, bottom: 30 };
const STYLE =
  'text { font: 11px sans-serif; fill: #333 } .title { font-weight: bold } path { fill: none; stroke: #999 } polyline { fill: none; stroke: #1f5fbf; stroke-width: 2 } circle { fill: #1f5fbf }';

export function plotCosts(groups: Map<string, Cost[]>): string {
  const plots = [...groups].map(
    ([grows, costs], n) => `<g transform="translate(${n * WIDTH} 0)">\n${plotGroup(grows, costs)}\n</g>`,
  );
  const size = `width="${groups.size * WIDTH}" height="${HEIGHT}" viewBox="0 0 ${groups.size * WIDTH} ${HEIGHT}"`;
  const parts = [
    '<title>Processor time of a render</title>',
    `<style>${STYLE}</style>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${[...parts, ...plots].join('\n')}\n</svg>\n`;
}

/** Both axes begin at zero, so that a cost that does not grow is a level line. */
function plotGroup(grows: string, costs: Cost[]): string {
  const [maxSize, maxMs] = [Math.max(...costs.map(({ size }) => size)), Math.max(...costs.map(({ processorMs }) => processorMs))];
  const bottom = HEIGHT - MARGIN.bottom;
  const x = (size: number) => (MARGIN.left + (size / maxSize) * (WIDTH - MARGIN.left - MARGIN.right)).toFixed(1);
  const y = (ms: number) => (bottom - (ms / maxMs) * (bottom - MARGIN.top)).toFixed(1);
  const text = (at: string, label: string, rest = '') => `<text ${at} ${rest}>${label}</text>`;
  return [
    text(`x="8" y="18"`, `ms a render, by ${grows}`, 'class="title"'),
    `<path d="M${MARGIN.left} ${MARGIN.top}V${bottom}H${WIDTH - MARGIN.right}"/>`,
    ...[0, maxMs].map((ms) => text(`x="${MARGIN.left - 6}" y="${y(ms)}"`, ms.toFixed(0), 'text-anchor="end"')),
    ...[0, maxSize].map((size) => text(`x="${x(size)}" y="${bottom + 16}"`, `${size}`, 'text-anchor="middle"')),
    `<polyline points="${costs.map(({ size, processorMs }) => `${x(size)},${y(processorMs)}`).join(' ')}"/>`,
    ...costs.map(({ size, processorMs }) => `<circle cx="${x(size)}" cy="${y(processorMs)}" r="3"/>`),
  ].join('\n');
}
