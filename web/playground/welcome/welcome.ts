/** The draft of somebody who comes for the first time: an invoice in HTML, notes in Markdown, and an order as a template. */
import { BLANK, type Draft } from '../draft.ts';
import html from './invoice.html?raw';
import template from './letter.html?raw';
import data from './letter.json?raw';
import markdown from './notes.md?raw';

export const WELCOME: Draft = { ...BLANK, html, markdown, template, data };
