/**
 * No regular expression takes more time than in proportion to the length of its text, wherever in the text a match may begin. One that
 * is found here is replaced, or its text is cut before.
 */
import { expect, test } from 'vitest';
import { slowText } from './expression-attacks.ts';
import { regularExpressions } from './regular-expressions.ts';

const FILES = ['src/**/*.ts', 'web/**/*.{ts,tsx}'];

const found = regularExpressions(FILES);
const distinct = new Map(found.map((each) => [`/${each.source}/${each.flags}`, each]));

test('finds literals, built expressions and patterns of schemas', () => {
  const sources = found.map(({ where, source }) => `${where.replace(/:.*/, '')} ${source}`);
  expect(sources).toContain('src/chromium/load/html/classify-html.ts shadowrootmode');
  expect(sources).toContain('src/fonts/unicode-scripts.ts \\p{Script=Han}');
  expect(sources).toContain('src/render/request/schemas/options-schema.ts ^[ -~]*$');
  expect(sources.filter((source) => source.startsWith('src/render/request/schemas/page-ranges-schema.ts')).join()).toContain(
    '[1-9]',
  );
  expect(sources.filter((source) => source.startsWith('web/')).length).toBeGreaterThan(10);
  expect(distinct.size).toBeGreaterThan(400);
});

test.each([...distinct.values()])('$where: /$source/$flags', ({ source, flags }) => {
  expect(slowText(source, flags)).toBeUndefined();
});

/** Each was in the code once, and stopped the service or a page. */
const SLOW = [
  /<script\b[^>]*\b(?:src|type\s*=\s*["']?(?:module|importmap))/i,
  /animat|transition|@starting-style|@import|<(?:link|set)\b|<script[^>]*src/i,
  /overflow|contain\s*:|<(?:textarea|iframe|input[^>]*value)|rtl/i,
  /<meta\b[^>]*\b(?:author|description|keywords)\b/i,
  /shadowrootmode\s*=\s*["']?\s*closed/i,
  /\blang(?:uage)?["']?\s*(?:=|content\s*=)\s*["']?\s*(ja|ko|zh(?:[-_][a-z-_]{1,20})?)\b/gi,
  /--[-\w]+\s*:[^;]*url\(/,
  /(\d+)-(\d+)/g,
  /(\d+)-\d+$/,
  /(\d+) 0 R/g,
  /\/(CreationDate|ModDate) \(D:[^)]*\)/g,
  /\s*\n\s*/,
  /\n\s+at .*/,
  /^\[.*ERROR:.*\] V8 (?:javascript|process) OOM/,
  /^(\d*\.?\d+(?:e[+-]?\d+)?)(in|cm|mm|q|pt|pc|px)$/i,
  /^\s*(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\s*(px|in|cm|mm|pt)?\s*$/i,
  /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g,
  /begin(bfchar|bfrange)([\s\S]*?)endbf/g,
  /\{%-?\s*(comment|raw)\s*-?%\}.*?\{%-?\s*end\1\s*-?%\}/gs,
  /\{[%{](.*?)[%}]\}/gs,
  /\/+$/,
  /^(?:a+)+$/,
];

test.each(SLOW)('would find %s', (expression) => {
  expect(slowText(expression.source, expression.flags)).toBeDefined();
});
