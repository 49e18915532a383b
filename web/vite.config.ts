/** Builds the pages: two entries, hashed names below `/assets/`, and nothing that a strict Content-Security-Policy refuses. */
import { defineConfig, type Plugin } from 'vite';
import { PdfOptions } from '../src/render/request/schemas/options-schema.ts';
import { OPTION_GROUPS } from './playground/options/option-groups.ts';

/** Provides the schema of `options` from the service, so that the form of the playground is always up to date. */
function optionsSchema(): Plugin {
  const name = 'virtual:options-schema';
  return {
    name: 'options-schema',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) =>
      id === `\0${name}`
        ? `export const PDF_OPTIONS = ${JSON.stringify(PdfOptions)};\nexport const GROUPS = ${JSON.stringify(OPTION_GROUPS)};`
        : undefined,
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [optionsSchema()],
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
