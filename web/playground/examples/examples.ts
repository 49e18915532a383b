/** The example documents. */
import type { Draft } from '../draft.ts';
import certificate from './certificate.html?raw';
import chart from './chart.html?raw';
import invoice from './invoice.html?raw';
import label from './label.html?raw';
import letter from './letter.html?raw';
import letterData from './letter.json?raw';
import report from './report.html?raw';

export interface Example {
  name: string;
  about: string;
  draft: Draft;
}

const TEMPLATE = { template: letter, engine: 'liquid', data: letterData } as const;

export const EXAMPLES: [Example, ...Example[]] = [
  page('Invoice', 'A4, with sums and a footer from the style sheet', invoice),
  page('Report', 'A cover, then numbered pages by @page margin boxes', report),
  page('Shipping label', '100 by 150 mm, with a barcode drawn by a script', label),
  page('Certificate', 'A4 in landscape, with colour to the edge', certificate, { format: 'A4', landscape: true }),
  page('Charts', 'SVG and canvas, drawn by the document’s own script', chart),
  {
    name: 'Order from a template',
    about: 'Liquid with loops, dates and amounts of money from JSON data',
    draft: { ...TEMPLATE, mode: 'template', html: invoice, options: {} },
  },
];

function page(name: string, about: string, html: string, options: Draft['options'] = {}): Example {
  return { name, about, draft: { ...TEMPLATE, mode: 'html', html, options } };
}
