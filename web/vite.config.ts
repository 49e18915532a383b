/** The pages, built once: two entries, hashed names below `/assets/`, nothing that a strict Content-Security-Policy refuses. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
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
