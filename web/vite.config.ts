/** Builds the pages: three entries, hashed names below `/assets/`, and nothing that a strict Content-Security-Policy refuses. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { PdfOptions } from '../src/render/request/schemas/options-schema.ts';
import { FORMAT_NAMES, findPaper } from '../src/render/request/values/lengths.ts';
import { buildSite } from './docs/site.ts';
import { OPTION_GROUPS } from './playground/options/option-groups.ts';

/** The width and height in inches of each format, by its name in lower case. */
const PAPERS = Object.fromEntries(FORMAT_NAMES.map((name) => [name.toLowerCase(), findPaper(name)?.sides]));

const MARKDOWN_STYLE = readFileSync(new URL('../src/markdown/default-style.css', import.meta.url), 'utf8');

/** What each module exports that is made from the service, so that the form of the options is always up to date. Drafts need only the names. */
const OPTION_MODULES: Record<string, Record<string, unknown>> = {
  'virtual:options-schema': { PDF_OPTIONS: PdfOptions, GROUPS: OPTION_GROUPS, PAPERS, MARKDOWN_STYLE },
  'virtual:option-names': { NAMES: Object.keys(PdfOptions.properties) },
};

function optionModules(): Plugin {
  return {
    name: 'option-modules',
    resolveId: (id) => (id in OPTION_MODULES ? `\0${id}` : undefined),
    load: (id) => {
      const values = OPTION_MODULES[id.slice(1)];
      return (
        values &&
        Object.entries(values)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join('\n')
      );
    },
  };
}

/** Provides what the service knows about the use of data, so that the editor of templates tells the same as a dry run. */
function dataUse(): Plugin {
  const file = fileURLToPath(new URL('../src/templates/data-use.ts', import.meta.url));
  return { name: 'data-use', resolveId: (id) => (id === 'virtual:data-use' ? file : undefined) };
}

/**
 * Lets pdf.js draw flags and other glyphs that have a soft mask: it reads glyphs with an object that inherits from its reader, and a private
 * method cannot be called on that.
 */
function drawnMasks(): Plugin {
  const METHOD = '#createTransferMap';
  return {
    name: 'drawn-masks',
    transform(code, id) {
      if (!id.includes('/pdf.worker.mjs')) return undefined;
      if (!code.includes(METHOD))
        throw new Error('pdf.js has no such method anymore: see whether it draws the flags of test/web/preview-fidelity');
      return { code: code.replaceAll(METHOD, 'createTransferMap'), map: null };
    },
  };
}

/** Writes the documentation into copies of `docs.html`, which has the names of its built style and script. */
function documentation(): Plugin {
  return {
    name: 'documentation',
    enforce: 'post',
    generateBundle(_, bundle) {
      const shell = bundle['docs.html'];
      if (shell?.type !== 'asset') throw new Error('docs.html is not built');
      delete bundle['docs.html'];
      for (const [fileName, source] of buildSite(String(shell.source))) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/**
 * What each page needs at first is in few files, because browsers ask for six at a time, and a slow line takes longer to answer than to
 * send them. The documentation has the first group only.
 */
const FIRST_FILES = [
  { name: 'base', test: /[/]node_modules[/]@?preact[/]|[/]shared[/](storage|theme)|preload-helper/, priority: 3 },
  { name: 'common', test: /[/]web[/](shared|shell|playground[/]files)[/]/, priority: 2 },
  { name: 'editor', test: /[/]web[/]playground[/]/, priority: 1 },
].map((group) => ({ ...group, tags: ['$initial' as const] }));

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [optionModules(), dataUse(), documentation()],
  worker: { format: 'es', plugins: () => [drawnMasks()] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'dashboard.html', 'docs.html'].map((name) => `${import.meta.dirname}/${name}`),
      output: { codeSplitting: { groups: FIRST_FILES } },
    },
  },
});
