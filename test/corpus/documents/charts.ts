/** Charts by the libraries most documents draw them with, each with the animation it has by default. */
import { type CorpusDocument, family } from '../page.ts';

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June'];
const SALES = [120, 190, 30, 50, 20, 130];
const COSTS = [80, 110, 60, 45, 90, 70];
const COLOURS = ['#4e79a7', '#f28e2b', '#e15759', '#76b7b2', '#59a14f', '#edc948'];
const POINTS = SALES.map((x, index) => ({ x, y: COSTS[index] ?? 0, r: 4 + index }));

const sales = { label: 'Sales', data: SALES, backgroundColor: COLOURS };
const costs = { label: 'Costs', data: COSTS, backgroundColor: '#bab0ac' };
const stacked = { scales: { x: { stacked: true }, y: { stacked: true } } };
const rightAxis = { scales: { y: { position: 'left' }, right: { position: 'right', grid: { drawOnChartArea: false } } } };
const months = (...datasets: object[]) => ({ labels: MONTHS, datasets });

const CHART_JS: Record<string, { type: string; data: object; options?: object }> = {
  bar: { type: 'bar', data: months(sales, costs) },
  'horizontal bar': { type: 'bar', data: months(sales), options: { indexAxis: 'y' } },
  stacked: { type: 'bar', data: months({ ...sales, backgroundColor: '#4e79a7' }, costs), options: stacked },
  line: { type: 'line', data: months({ ...sales, borderColor: '#4e79a7', tension: 0.4 }, { ...costs, fill: true }) },
  pie: { type: 'pie', data: months(sales) },
  doughnut: { type: 'doughnut', data: months(sales) },
  radar: { type: 'radar', data: months({ ...sales, backgroundColor: '#4e79a755' }, costs) },
  'polar area': { type: 'polarArea', data: months(sales) },
  scatter: { type: 'scatter', data: { datasets: [{ label: 'Sales and costs', data: POINTS, backgroundColor: '#e15759' }] } },
  bubble: { type: 'bubble', data: { datasets: [{ label: 'Sales and costs', data: POINTS, backgroundColor: '#59a14f' }] } },
  'mixed with right axis': {
    type: 'bar',
    data: months(sales, { ...costs, type: 'line', yAxisID: 'right', borderColor: '#e15759' }),
    options: rightAxis,
  },
  delayed: { type: 'bar', data: months(sales), options: { animation: { delay: 800, duration: 1500 } } },
};

const chartJs = family('Chart.js', CHART_JS, (config) => ({
  uses: ['chart.js/dist/chart.umd.min.js'],
  body: '<h1>Sales</h1><div style="width: 640px; height: 420px"><canvas id="chart"></canvas></div><p>All numbers in thousands.</p>',
  script: `new Chart('chart', ${JSON.stringify({ ...config, options: { maintainAspectRatio: false, ...config.options } })})`,
}));

const axes = { xAxis: { type: 'category', data: MONTHS }, yAxis: { type: 'value' } };
const slices = MONTHS.map((name, index) => ({ name, value: SALES[index] }));
const radar = { indicator: MONTHS.map((name) => ({ name, max: 200 })) };
const candles = COSTS.map((close, index) => [SALES[index], close, Math.min(20, close), 210]);
const squares = MONTHS.flatMap((_, x) => [0, 1, 2].map((y) => [x, y, (x * 7 + y * 3) % 10]));
const flows = MONTHS.map((target, index) => ({ source: 'Year', target, value: SALES[index] }));

const ECHARTS: Record<string, object> = {
  bar: { ...axes, series: [{ type: 'bar', data: SALES }] },
  line: { ...axes, series: [{ type: 'line', smooth: true, areaStyle: {}, data: SALES }] },
  pie: { series: [{ type: 'pie', radius: '60%', data: slices }] },
  scatter: { xAxis: {}, yAxis: {}, series: [{ type: 'scatter', data: SALES.map((x, index) => [x, COSTS[index]]) }] },
  radar: { radar, series: [{ type: 'radar', data: [{ value: SALES, name: 'Sales' }] }] },
  gauge: { series: [{ type: 'gauge', data: [{ value: 72, name: 'Goal' }] }] },
  funnel: { series: [{ type: 'funnel', data: slices }] },
  candlestick: { ...axes, series: [{ type: 'candlestick', data: candles }] },
  heatmap: {
    xAxis: { type: 'category', data: MONTHS },
    yAxis: { type: 'category', data: ['North', 'South', 'West'] },
    visualMap: { min: 0, max: 10, calculable: true },
    series: [{ type: 'heatmap', data: squares, label: { show: true } }],
  },
  sankey: { series: [{ type: 'sankey', data: [{ name: 'Year' }, ...MONTHS.map((name) => ({ name }))], links: flows }] },
};

const echarts = family('ECharts', ECHARTS, (option) => ({
  uses: ['echarts/dist/echarts.min.js'],
  body: '<h1>Sales</h1><div id="chart" style="width: 640px; height: 420px"></div>',
  script: `const chart = echarts.init(document.querySelector('#chart'), null, { renderer: '${'radar' in option ? 'svg' : 'canvas'}' });
    chart.setOption(${JSON.stringify(option)})`,
}));

const D3: Record<string, string> = {
  bars: `svg.selectAll('rect').data(values).join('rect').attr('x', (_, i) => i * 90).attr('width', 80).attr('y', 300).attr('height', 0)
    .attr('fill', (_, i) => colours[i]).transition().duration(1200).delay((_, i) => i * 150).attr('y', (v) => 300 - v).attr('height', (v) => v)`,
  line: `const line = d3.line().x((_, i) => i * 100).y((v) => 300 - v).curve(d3.curveMonotoneX);
    const path = svg.append('path').datum(values).attr('fill', 'none').attr('stroke', 'teal').attr('stroke-width', 3).attr('d', line);
    const length = path.node().getTotalLength();
    path.attr('stroke-dasharray', length).attr('stroke-dashoffset', length).transition().duration(2000).attr('stroke-dashoffset', 0)`,
  pie: `const arc = d3.arc().innerRadius(60).outerRadius(140);
    svg.append('g').attr('transform', 'translate(300 160)').selectAll('path').data(d3.pie()(values)).join('path').attr('fill', (_, i) => colours[i])
    .transition().duration(1000).attrTween('d', (slice) => { const turn = d3.interpolate({ startAngle: 0, endAngle: 0 }, slice); return (t) => arc(turn(t)) })`,
  'chained transitions': `svg.selectAll('circle').data(values).join('circle').attr('cx', 0).attr('cy', 150).attr('r', 4)
    .transition().duration(600).attr('cx', (_, i) => 40 + i * 100).transition().duration(600).attr('r', (v) => v / 4)
    .transition().duration(600).attr('fill', (_, i) => colours[i]).attr('opacity', .8)`,
  'counting text': `svg.selectAll('text').data(values).join('text').attr('x', 20).attr('y', (_, i) => 40 + i * 45).attr('font-size', 28).text(0)
    .transition().duration(1500).textTween((v) => d3.interpolateRound(0, v))`,
  'force layout': `const nodes = values.map((value, id) => ({ id, value })), links = values.slice(1).map((_, i) => ({ source: 0, target: i + 1 }));
    const lines = svg.selectAll('line').data(links).join('line').attr('stroke', '#999'), dots = svg.selectAll('circle').data(nodes).join('circle').attr('r', 14).attr('fill', ({ id }) => colours[id]);
    d3.forceSimulation(nodes).force('link', d3.forceLink(links).distance(90)).force('charge', d3.forceManyBody().strength(-300)).force('centre', d3.forceCenter(320, 160))
    .alphaDecay(.06).on('tick', () => { lines.attr('x1', (l) => l.source.x).attr('y1', (l) => l.source.y).attr('x2', (l) => l.target.x).attr('y2', (l) => l.target.y);
      dots.attr('cx', (n) => n.x).attr('cy', (n) => n.y) })`,
};

const d3 = family('D3', D3, (script) => ({
  uses: ['d3/dist/d3.min.js'],
  body: '<h1>Sales</h1><svg id="chart" width="640" height="320"></svg>',
  script: `const values = ${JSON.stringify(SALES)}, colours = ${JSON.stringify(COLOURS)}, svg = d3.select('#chart'); ${script}`,
}));

const apex = { chart: { height: 360, width: 640 }, labels: MONTHS };
const vegaData = { values: MONTHS.map((month, index) => ({ month, sales: SALES[index] })) };
const encoding = { x: { field: 'month', type: 'ordinal', sort: null }, y: { field: 'sales', type: 'quantitative' } };
const cytoscape = {
  elements: [
    ...MONTHS.map((id) => ({ data: { id } })),
    ...MONTHS.slice(1).map((target, index) => ({ data: { source: MONTHS[Math.floor(index / 2)], target } })),
  ],
  layout: { name: 'breadthfirst', animate: true },
  style: [{ selector: 'node', style: { label: 'data(id)', 'background-color': '#4e79a7' } }],
};

const OTHERS: Record<string, { uses: string[]; script: string; warnings?: string[] }> = {
  'ApexCharts bar': {
    uses: ['apexcharts/dist/apexcharts.min.js'],
    script: `new ApexCharts(place, ${JSON.stringify({ ...apex, chart: { ...apex.chart, type: 'bar' }, series: [{ name: 'Sales', data: SALES }] })}).render()`,
  },
  'ApexCharts donut': {
    uses: ['apexcharts/dist/apexcharts.min.js'],
    script: `new ApexCharts(place, ${JSON.stringify({ ...apex, chart: { ...apex.chart, type: 'donut' }, series: SALES })}).render()`,
    warnings: ['content_rasterized'], // its percentages have a shadow
  },
  'Vega-Embed bar': {
    uses: ['vega/build/vega.min.js', 'vega-lite/build/vega-lite.min.js', 'vega-embed/build/vega-embed.min.js'],
    script: `vegaEmbed(place, ${JSON.stringify({ data: vegaData, mark: 'bar', encoding, width: 500 })}, { actions: false })`,
  },
  'Vega-Embed line from a file': {
    uses: ['vega/build/vega.min.js', 'vega-lite/build/vega-lite.min.js', 'vega-embed/build/vega-embed.min.js'],
    script: `vegaEmbed(place, ${JSON.stringify({ data: { url: '/data/months.json' }, mark: { type: 'line', point: true }, encoding, width: 500 })}, { actions: false, renderer: 'svg' })`,
  },
  uPlot: {
    uses: ['uplot/dist/uPlot.min.css', 'uplot/dist/uPlot.iife.min.js'],
    script: `new uPlot({ width: 640, height: 320, scales: { x: { time: false } }, series: [{}, { label: 'Sales', stroke: 'teal', fill: '#0801' }] }, [[1, 2, 3, 4, 5, 6], ${JSON.stringify(SALES)}], place)`,
  },
  'Frappe Charts': {
    uses: ['frappe-charts/dist/frappe-charts.min.umd.js'],
    script: `new frappe.Chart(place, ${JSON.stringify({ type: 'bar', height: 300, data: { labels: MONTHS, datasets: [{ name: 'Sales', values: SALES }] } })})`,
  },
  Cytoscape: {
    uses: ['cytoscape/dist/cytoscape.min.js'],
    script: `place.style.height = '360px'; cytoscape({ container: place, ...${JSON.stringify(cytoscape)} })`,
  },
  Konva: {
    uses: ['konva/konva.min.js'],
    script: `const stage = new Konva.Stage({ container: place, width: 640, height: 300 }), layer = new Konva.Layer(), dot = new Konva.Circle({ x: 40, y: 150, radius: 30, fill: 'crimson' });
      layer.add(dot, new Konva.Text({ x: 20, y: 20, text: 'A circle on its way', fontSize: 24 })); stage.add(layer); dot.to({ x: 560, duration: 1.5, scaleX: 2 })`,
  },
  'Rough.js': {
    uses: ['roughjs/bundled/rough.js'],
    script: `place.innerHTML = '<canvas width="640" height="320">'; const drawing = rough.canvas(place.firstChild, { options: { seed: 7 } });
      ${JSON.stringify(SALES)}.forEach((value, index) => drawing.rectangle(20 + index * 100, 300 - value, 80, value, { fill: 'teal', seed: index + 1 }))`,
  },
  'Leaflet without tiles': {
    uses: ['leaflet/dist/leaflet.css', 'leaflet/dist/leaflet.js'],
    script: `place.style.height = '360px'; const map = L.map(place, { zoomControl: false, attributionControl: false }).setView([48.2, 16.4], 11);
      L.circle([48.2, 16.4], { radius: 4000 }).addTo(map); L.polyline([[48.1, 16.2], [48.25, 16.5], [48.3, 16.3]], { color: 'crimson' }).addTo(map); L.marker([48.22, 16.35]).addTo(map)`,
  },
  VexFlow: {
    uses: ['vexflow/build/cjs/vexflow.js'],
    script: `place.id = 'score'; const factory = new VexFlow.Factory({ renderer: { elementId: 'score', width: 500, height: 200 } }), score = factory.EasyScore();
      document.fonts.load('30pt Bravura').then(() => { factory.System().addStave({ voices: [score.voice(score.notes('C#5/q, B4, A4, G#4'))] }).addClef('treble').addTimeSignature('4/4'); factory.draw() })`,
  },
};

const others = family('Drawn by', OTHERS, ({ uses, script, ...rest }) => ({
  ...rest,
  uses,
  body: '<h1>Sales</h1><div id="place" style="width: 640px"></div><p>All numbers in thousands.</p>',
  script: `const place = document.querySelector('#place'); ${script}`,
}));

export const CHARTS: CorpusDocument[] = [...chartJs, ...echarts, ...d3, ...others];
