/** Compiles the sources to JavaScript in `dist` for `npm pack`, because Node does not strip types in installed packages. */
import { execFileSync } from 'node:child_process';
import { cp, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLES } from '../src/chromium/devtools/in-page-program.ts';

const PROJECT = new URL('../', import.meta.url).pathname;
const DIST = join(PROJECT, 'dist');
/** Workers are referenced by URL, which the compiler does not change. */
const WORKER = /new URL\('(\.\/[\w/-]+)\.ts', import\.meta\.url\)/g;

await rm(DIST, { recursive: true, force: true });
const tsc = join(PROJECT, 'node_modules/typescript-7/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.package.json'], { cwd: PROJECT, stdio: 'inherit' });
for await (const path of glob('**/*.{css,icc,json}', { cwd: join(PROJECT, 'src'), exclude: ['in-page/*.json'] }))
  await cp(join(PROJECT, 'src', path), join(DIST, path));
await writeFile(join(DIST, 'in-page/bundles.json'), JSON.stringify(BUNDLES));
for await (const path of glob('**/*.js', { cwd: DIST })) {
  const text = await readFile(join(DIST, path), 'utf8');
  const renamed = text.replace(WORKER, "new URL('$1.js', import.meta.url)");
  if (renamed !== text) await writeFile(join(DIST, path), renamed);
}
