/** Invoices, reports and letters on style sheets that many use, and mail. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type CorpusDocument, family, PAPER, type Parts, page } from '../page.ts';

const ROWS = Array.from({ length: 18 }, (_, index) => ({
  what: `Paper of kind ${index + 1}`,
  pieces: index + 2,
  price: (index * 3.5 + 4).toFixed(2),
}));
const row = ({ what, pieces, price }: (typeof ROWS)[number]) => `<tr><td>${what}</td><td>${pieces}</td><td>${price}</td></tr>`;
const table = (classes = '') =>
  `<table class="${classes}"><thead><tr><th>What</th><th>Pieces</th><th>Price</th></tr></thead><tbody>${ROWS.map(row).join('')}</tbody></table>`;
const invoice = ({
  container,
  table: ofTable,
  button,
}: Invoice) => `<main class="${container}"><header><h1>Invoice 2026-017</h1><p>To Ada Lovelace, <strong>12 Long Street</strong></p></header>
  ${table(ofTable)}<blockquote>Please pay within 14 days.</blockquote><p><a class="${button}" href="https://example.com/pay">Pay now</a></p></main>`;

interface Invoice {
  css: string;
  container: string;
  table: string;
  button: string;
  warnings?: string[];
}

const FRAMEWORKS: Record<string, Invoice> = {
  Bulma: {
    css: 'bulma/css/bulma.min.css',
    container: 'container content',
    table: 'table is-striped is-fullwidth',
    button: 'button is-primary',
  },
  Pico: { css: '@picocss/pico/css/pico.min.css', container: 'container', table: 'striped', button: 'secondary' },
  Milligram: {
    css: 'milligram/dist/milligram.min.css',
    warnings: ['font_substituted'],
    container: 'container',
    table: '',
    button: 'button',
  },
  'Water.css': { css: 'water.css/out/water.min.css', container: '', table: '', button: '' },
  'Pure.css': {
    css: 'purecss/build/pure-min.css',
    container: 'pure-g',
    table: 'pure-table pure-table-striped',
    button: 'pure-button',
  },
  Tachyons: {
    css: 'tachyons/css/tachyons.min.css',
    container: 'mw8 center ph3 sans-serif',
    table: 'f6 w-100 collapse ba b--light-gray',
    button: 'link dim br2 ph3 pv2 white bg-navy',
  },
  UIkit: {
    css: 'uikit/dist/css/uikit.min.css',
    container: 'uk-container',
    table: 'uk-table uk-table-striped',
    button: 'uk-button uk-button-primary',
  },
  Foundation: {
    css: 'foundation-sites/dist/css/foundation.min.css',
    warnings: ['font_substituted'],
    container: 'grid-container',
    table: 'hover',
    button: 'button',
  },
  Bootstrap: {
    css: 'bootstrap/dist/css/bootstrap.min.css',
    container: 'container',
    table: 'table table-striped',
    button: 'btn btn-primary',
  },
};

const invoices = family('Invoice with', FRAMEWORKS, (parts) => ({
  uses: [parts.css],
  body: invoice(parts),
  ...(parts.warnings && { warnings: parts.warnings }),
}));

const card = (title: string) =>
  `<div class="col"><div class="card"><div class="card-body"><h5 class="card-title">${title}</h5><p class="card-text">A third of it was sold in spring.</p><span class="badge text-bg-success">new</span></div></div></div>`;
const item = (name: string, index: number) =>
  `<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button" data-bs-toggle="collapse" data-bs-target="#item${index}">${name}</button></h2>
  <div id="item${index}" class="accordion-collapse collapse ${index ? '' : 'show'}"><div class="accordion-body">${name} costs what it costs.</div></div></div>`;
const NAMES = ['Paper', 'Ink', 'Post'];

const bootstrap = family<Parts>(
  'Bootstrap',
  {
    grid: {
      body: `<div class="container"><h1>Report</h1><div class="row row-cols-3 g-3">${NAMES.map(card).join('')}</div></div>`,
    },
    accordion: { body: `<div class="accordion">${NAMES.map(item).join('')}</div>` },
    'an opened collapse': {
      body: `<div class="accordion">${NAMES.map(item).join('')}</div>`,
      script: `for (const each of document.querySelectorAll('.collapse:not(.show)')) new bootstrap.Collapse(each)`,
    },
    'a modal that fades in': {
      body: `<p>Behind.</p><div class="modal fade" id="modal"><div class="modal-dialog"><div class="modal-content"><div class="modal-body">In front.</div></div></div></div>`,
      script: `new bootstrap.Modal('#modal').show()`,
    },
    progress: {
      body: NAMES.map(
        (name) => `<p>${name}</p><div class="progress mb-3"><div class="progress-bar" style="width: 0">${name}</div></div>`,
      ).join(''),
      script: `addEventListener('load', () => requestAnimationFrame(() => document.querySelectorAll('.progress-bar').forEach((bar, index) => { bar.style.width = 30 * (index + 1) + '%' })))`,
    },
    carousel: {
      body: `<div class="carousel slide" data-bs-ride="carousel"><div class="carousel-inner">${NAMES.map((name, index) => `<div class="carousel-item ${index ? '' : 'active'}"><div class="display-1 p-5 bg-light">${name}</div></div>`).join('')}</div></div><p>After it.</p>`,
    },
  },
  (parts) => ({ uses: ['bootstrap/dist/css/bootstrap.min.css', 'bootstrap/dist/js/bootstrap.bundle.min.js'], ...parts }),
);

const cell = 'border-b border-slate-300 py-1 text-left';
const tailwind = family<Parts>(
  'Tailwind',
  {
    invoice: {
      body: `<main class="mx-auto max-w-3xl p-4 font-sans"><h1 class="text-3xl font-bold text-indigo-700">Invoice 2026-017</h1>${table(`mt-4 w-full text-sm [&_td]:py-1 [&_th]:text-left [&_tr:nth-child(even)]:bg-slate-100`)}</main>`,
    },
    cards: {
      body: `<div class="grid grid-cols-3 gap-4">${NAMES.map((name) => `<div class="rounded-xl bg-linear-to-br from-sky-100 to-sky-300 p-6"><h2 class="text-xl">${name}</h2><p class="mt-2 text-sky-900">A third of it.</p></div>`).join('')}</div>`,
    },
    'classes that a script adds': {
      body: '<div id="list" class="columns-2"></div>',
      script: `for (let index = 0; index < 24; index++) list.innerHTML += \`<p class="${cell} pl-[\${index * 3}px] text-[\${10 + index / 2}px]">Line \${index}</p>\``,
    },
    'animated classes': {
      body: `<style type="text/tailwindcss">@theme { --animate-rise: rise 1s ease-out both; @keyframes rise { from { opacity: 0; transform: translateY(2rem) } } }</style>
        ${NAMES.map((name) => `<p class="animate-rise text-4xl transition-colors duration-1000 starting:text-white">${name}</p>`).join('')}`,
    },
  },
  (parts) => ({ uses: ['@tailwindcss/browser/dist/index.global.js'], ...parts }),
);

const require = createRequire(import.meta.url);
const mjml = require('mjml') as (source: string, options?: object) => Promise<{ html: string }>;
const WELCOME = `<mjml><mj-body background-color="#eef"><mj-section background-color="white"><mj-column><mj-text font-size="28px">Welcome, Ada</mj-text>
  <mj-divider border-color="#4e79a7" /><mj-text>Your printer is on its way.</mj-text><mj-button href="https://example.com">Follow it</mj-button></mj-column></mj-section>
  <mj-section><mj-column><mj-text>Left</mj-text></mj-column><mj-column><mj-text>Right</mj-text></mj-column></mj-section></mj-body></mjml>`;
const RECEIPT = `<mjml><mj-body><mj-section><mj-column><mj-text>Receipt</mj-text><mj-table>${ROWS.map(row).join('')}</mj-table></mj-column></mj-section></mj-body></mjml>`;
const inliner = readFileSync(
  new URL('../node_modules/foundation-emails/dist/foundation-emails.min.css', import.meta.url),
  'utf8',
);

/** Without fonts from elsewhere. */
async function mail(source: string): Promise<string> {
  const { html } = await mjml(
    source.replace('<mjml>', '<mjml><mj-head><mj-attributes><mj-all font-family="Arial" /></mj-attributes></mj-head>'),
  );
  return html.replace('</head>', `<style>${PAPER}</style></head>`);
}

const mails: CorpusDocument[] = [
  { name: 'Mail of MJML, a welcome', html: await mail(WELCOME) },
  { name: 'Mail of MJML, a receipt', html: await mail(RECEIPT) },
  {
    name: 'Mail on Foundation',
    html: page({
      style: inliner,
      body: `<table class="body"><tr><td class="center" align="center"><table class="container"><tr><td><table class="row"><tr><th class="small-12 large-8 columns first"><h1>Newsletter</h1><p class="lead">What was printed this week.</p></th>
        <th class="small-12 large-4 columns last"><table class="callout"><tr><th class="callout-inner primary"><p>Subscribe</p></th></tr></table></th></tr></table></td></tr></table></td></tr></table>`,
    }),
  },
];

const report: CorpusDocument = {
  name: 'Report whose pictures and style come from elsewhere',
  html: page({
    uses: ['bootstrap/dist/css/bootstrap-grid.min.css'],
    body: `<h1>Figures</h1>${NAMES.map((name) => `<figure><img loading="lazy" width="200" height="120" src="/data/${name}.svg" alt="${name}"><figcaption>${name}</figcaption></figure>`).join('<div style="height: 700px"></div>')}
      <iframe loading="lazy" src="/data/frame.html"></iframe>`,
  }),
};

export const PAGES: CorpusDocument[] = [...invoices, ...bootstrap, ...tailwind, ...mails, report];
