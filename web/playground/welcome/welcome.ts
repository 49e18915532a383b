/** The draft of somebody who comes for the first time: an invoice in HTML, and an order as a template. */
import type { Draft } from '../draft.ts';
import html from './invoice.html?raw';
import template from './letter.html?raw';
import data from './letter.json?raw';

export const WELCOME: Draft = { mode: 'html', html, template, engine: 'liquid', data, options: {} };
