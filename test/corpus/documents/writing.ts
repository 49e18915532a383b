/** What is written: diagrams and formulas from text, books, code, Markdown, codes to be scanned, fonts from the web. */
import { type CorpusDocument, family, type Parts } from '../page.ts';

const MERMAID: Record<string, string> = {
  flowchart: 'flowchart LR\n  Order --> Check{In stock?}\n  Check -->|yes| Send\n  Check -->|no| Wait --> Check',
  sequence: 'sequenceDiagram\n  Shop->>Bank: Charge 40\n  Bank-->>Shop: Charged\n  Note over Shop,Bank: within a second',
  class: 'classDiagram\n  Invoice "1" *-- "many" Row\n  Invoice : +total()\n  Row : +amount',
  state: 'stateDiagram-v2\n  [*] --> Draft\n  Draft --> Sent: approve\n  Sent --> Paid\n  Paid --> [*]',
  gantt:
    'gantt\n  title Works\n  dateFormat YYYY-MM-DD\n  section House\n  Walls :a, 2026-01-05, 20d\n  Roof :after a, 12d\n  section Garden\n  Trees :2026-02-01, 10d',
  pie: 'pie title Costs\n  "Paper" : 40\n  "Ink" : 25\n  "Post" : 35',
  'entity relationship': 'erDiagram\n  CUSTOMER ||--o{ ORDER : places\n  ORDER ||--|{ ROW : has\n  CUSTOMER { string name }',
  mindmap: 'mindmap\n  root((Print))\n    Paper\n      A4\n      Letter\n    Ink\n      Black',
};

const mermaid = family(
  'Mermaid',
  MERMAID,
  (source) => ({
    uses: ['mermaid/dist/mermaid.min.js'],
    body: `<h1>A diagram</h1><pre class="mermaid">${source.replaceAll('<', '&lt;')}</pre><p>Drawn from text.</p>`,
    script: `mermaid.initialize({ startOnLoad: true, deterministicIds: true, handDrawnSeed: 1 })`,
  }),
  { warnings: ['font_substituted'] },
);

const FORMULAS = [
  String.raw`e^{i\pi} + 1 = 0`,
  String.raw`\int_0^\infty e^{-x^2} \, dx = \frac{\sqrt{\pi}}{2}`,
  String.raw`\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1} = \frac{1}{ad - bc} \begin{pmatrix} d & -b \\ -c & a \end{pmatrix}`,
  String.raw`\sum_{n=1}^\infty \frac{1}{n^2} = \frac{\pi^2}{6}`,
];
const displayed = FORMULAS.map((formula) => `<p>It is known that \\[${formula}\\] and more follows.</p>`).join('');
const KATEX = ['katex/dist/katex.min.css', 'katex/dist/katex.min.js', 'katex/dist/contrib/auto-render.min.js'];

const katex = family<Parts>(
  'KaTeX',
  {
    'by auto-render': { body: displayed, script: 'renderMathInElement(document.body)' },
    'by calls': {
      body: '<ol></ol>',
      script: `for (const formula of ${JSON.stringify(FORMULAS)}) katex.render(formula, document.querySelector('ol').appendChild(document.createElement('li')), { displayMode: true })`,
    },
    'in a thesis of 40 formulas': {
      body: Array.from({ length: 10 }, (_, index) => `<h2>Chapter ${index + 1}</h2>${displayed}`).join(''),
      script: `addEventListener('load', () => renderMathInElement(document.body))`,
    },
  },
  (parts) => ({ uses: KATEX, ...parts }),
);

const MATHJAX_SETTINGS = `loader: { paths: { 'mathjax-newcm': '/npm/@mathjax/mathjax-newcm-font' } },
  options: { enableMenu: false, enableSpeech: false, enableBraille: false }`;
const mathjax = family(
  'MathJax',
  {
    svg: { file: 'tex-svg.js', more: '' },
    chtml: { file: 'tex-chtml.js', more: '' },
    'with its startup promise': {
      file: 'tex-svg.js',
      more: `, startup: { ready() { MathJax.startup.defaultReady(); MathJax.startup.promise.then(() => document.body.append('Typeset.')) } }`,
    },
  },
  ({ file, more }) => ({
    body: `${displayed}<script>MathJax = { ${MATHJAX_SETTINGS}${more} }</script><script async src="/npm/mathjax/${file}"></script>`,
  }),
);

const WORDS = 'The paper was laid on the table and the ink was given time to dry before anybody touched it.';
const chapters = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `<section><h1>Chapter ${index + 1}</h1>${`<p>${`${WORDS} `.repeat(6)}</p>`.repeat(4)}</section>`,
  ).join('');
const BOOK = `section { break-before: page } @page { size: 420pt 600pt; margin: 60pt 45pt; @bottom-center { content: counter(page) ' of ' counter(pages) } }`;

const pagedjs = family(
  'Paged.js',
  {
    letter: { body: `<h1>Letter</h1>${`<p>${WORDS}</p>`.repeat(30)}`, style: 'p { font-size: 12pt }' },
    'running heads': {
      body: chapters(4),
      style: `${BOOK} h1 { string-set: chapter content() } @page { @top-left { content: string(chapter) } }`,
    },
    'book of 60 chapters': { body: chapters(60), style: BOOK },
  },
  (parts) => ({ uses: ['pagedjs/dist/paged.polyfill.min.js'], ...parts }),
);

const CODE = `function total(rows) {\n  // in cents\n  return rows.reduce((sum, { amount }) => sum + amount, 0);\n}\n\nconst NAME = "Ada" + \`!\`;`;
const MARKDOWN = `# Minutes\n\nPresent: *Ada*, **Grace**.\n\n1. Budget\n2. Paper\n\n| what | cost |\n| --- | ---: |\n| Paper | 12.00 |\n| Ink | 30.00 |\n\n> Agreed.\n\n\`\`\`js\ntotal()\n\`\`\`\n`;
const code = `<h1>Code</h1><pre><code class="language-js">${CODE}</code></pre>`;

const texts = family<Parts>(
  'Text by',
  {
    Prism: { uses: ['prismjs/themes/prism.css', 'prismjs/prism.js'], body: code, warnings: ['font_substituted'] },
    'highlight.js': {
      uses: ['@highlightjs/cdn-assets/styles/github.min.css', '@highlightjs/cdn-assets/highlight.min.js'],
      body: code,
      script: 'hljs.highlightAll()',
    },
    marked: {
      uses: ['marked/lib/marked.umd.js'],
      body: '<main></main>',
      script: `document.querySelector('main').innerHTML = marked.parse(${JSON.stringify(MARKDOWN)})`,
    },
    'markdown-it from a file': {
      uses: ['markdown-it/dist/browser/markdown-it.umd.min.js'],
      body: '<main></main>',
      script: `fetch('/data/minutes.md').then((reply) => reply.text()).then((text) => { document.querySelector('main').innerHTML = markdownit().render(text) })`,
    },
    JsBarcode: {
      uses: ['jsbarcode/dist/JsBarcode.all.min.js'],
      body: '<h1>Parcel</h1><svg id="code"></svg><br><canvas id="ean"></canvas>',
      script: `JsBarcode('#code', 'PLATEN-2026'); JsBarcode('#ean', '5901234123457', { format: 'EAN13' })`,
    },
    'qrcode-generator': {
      uses: ['qrcode-generator/dist/qrcode.js'],
      body: '<h1>Ticket</h1><div></div>',
      script: `const code = qrcode(0, 'M'); code.addData('https://example.com/tickets/42'); code.make(); document.querySelector('div').innerHTML = code.createSvgTag(5, 0)`,
    },
  },
  (parts) => parts,
);

const fonts = family<Parts>(
  'Web font',
  {
    Lora: {
      uses: ['@fontsource/lora/400.css', '@fontsource/lora/700.css', '@fontsource/lora/400-italic.css'],
      style: 'body { font-family: Lora }',
      body: `<h1>${WORDS}</h1><p>${WORDS}</p><em>${WORDS}</em>`,
    },
    'Pacifico, set late': {
      uses: ['@fontsource/pacifico/400.css'],
      body: `<h1>${WORDS}</h1>`,
      script: `setTimeout(() => { document.querySelector('h1').style.fontFamily = 'Pacifico' }, 400)`,
    },
    'Noto Sans JP': {
      uses: ['@fontsource/noto-sans-jp/400.css', '@fontsource/noto-sans-jp/700.css'],
      style: 'body { font-family: "Noto Sans JP" }',
      body: '<h1>請求書</h1><p>直刃の骨を角に置く。海の底に青い魚がいます。</p>',
      lang: 'ja',
    },
  },
  (parts) => parts,
);

export const WRITING: CorpusDocument[] = [...mermaid, ...katex, ...mathjax, ...pagedjs, ...texts, ...fonts];
