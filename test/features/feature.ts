/** A document for each feature of CSS for print, and what a reader must see of it. */
import type { Printed } from './printed.ts';

export interface Feature {
  name: string;
  /** The section of the standard that defines it. */
  spec: string;
  html: string;
  /** Whether the print is right. A check that throws says no, too. */
  check(print: Printed): boolean | Promise<boolean>;
}

/** What the features of one subject are about. */
export interface Area {
  name: string;
  features: Feature[];
}

type Parts = Omit<Feature, 'html' | 'check'> & {
  css: string;
  body: string;
} & ({ check: Feature['check'] } | { pages: string[] });

/** A page has room for 15 lines of 20 pixels, and is 200 pixels wide between its margins. */
const BASE = `@page { size: 300px 400px; margin: 50px } html, body { margin: 0 } body { font: 16px/20px sans-serif; orphans: 1; widows: 1 }
h1, h2, h3, p, ul, ol, li, table, td, th, tr { margin: 0; padding: 0; font: inherit; text-align: left } table { border-spacing: 0 } li { list-style: none } .next { break-before: page }`;

/** `pages` is the text of each page, line by line from top to bottom. */
export function feature({ css, body, ...parts }: Parts): Feature {
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${parts.name.replaceAll('<', '&lt;')}</title><style>${BASE}</style><style>${css}</style></head><body>${body}</body></html>`;
  const { name, spec } = parts;
  const check = 'check' in parts ? parts.check : (print: Printed) => sameTexts(print.texts, parts.pages);
  return { name, spec, html, check };
}

/** Paragraphs of one line each: `a1`, `a2` and so on. */
export function lines(word: string, count: number): string {
  return `${Array.from({ length: count }, (_, index) => `<p>${word}${index + 1}</p>`).join('')}`;
}

/** The text of the lines from `first` to `last`. */
export function text(word: string, first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => `${word}${first + index}`).join(' ');
}

export function sameTexts(texts: readonly string[], expected: readonly string[]): boolean {
  return texts.length === expected.length && texts.every((each, index) => each === expected[index]);
}

/** Whether lengths in CSS pixels are the same to the eye. */
export function near(one: number, other: number, tolerance = 2): boolean {
  return Math.abs(one - other) <= tolerance;
}
