/** Builds the pages: two entries, hashed names below `/assets/`, and nothing that a strict Content-Security-Policy refuses. */
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { PdfOptions } from '../src/render/request/schemas/options-schema.ts';
import { FORMAT_NAMES, findPaper } from '../src/render/request/values/lengths.ts';
import { OPTION_GROUPS } from './playground/options/option-groups.ts';

/** The width and height in inches of each format, by its name in lower case. */
const PAPERS = Object.fromEntries(FORMAT_NAMES.map((name) => [name.toLowerCase(), findPaper(name)?.sides]));

/** Provides the schema of `options` from the service, so that the form of the playground is always up to date. */
function optionsSchema(): Plugin {
  const name = 'virtual:options-schema';
  return {
    name: 'options-schema',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) =>
      id === `\0${name}`
        ? `export const PDF_OPTIONS = ${JSON.stringify(PdfOptions)};\nexport const GROUPS = ${JSON.stringify(OPTION_GROUPS)};\nexport const PAPERS = ${JSON.stringify(PAPERS)};`
        : undefined,
  };
}

/** Provides what the service knows about the use of data, so that the editor of templates tells the same as a dry run. */
function dataUse(): Plugin {
  const file = fileURLToPath(new URL('../src/templates/data-use.ts', import.meta.url));
  return { name: 'data-use', resolveId: (id) => (id === 'virtual:data-use' ? file : undefined) };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [optionsSchema(), dataUse()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { playground: `${import.meta.dirname}/index.html`, dashboard: `${import.meta.dirname}/dashboard.html` },
    },
  },
});
