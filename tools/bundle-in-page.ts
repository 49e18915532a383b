/** Bundles the program that runs in pages: sources of `src/in-page` in, `bundles.json` beside them out. */
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { Bundles } from '../src/chromium/devtools/in-page-program.ts';

const ENTRIES: Record<keyof Bundles['code'], string> = {
  questions: 'questions-only.ts',
  written: 'written-window.ts',
  visited: 'visited-window.ts',
  worker: 'worker.ts',
};

/** Returns the bundles, also if they cannot be written. Several processes may write at the same time. */
export async function bundle(folder: URL, digest: string): Promise<Bundles> {
  const built = Object.entries(ENTRIES).map(async ([name, file]) => [name, await bundleEntry(new URL(file, folder))]);
  const bundles: Bundles = { digest, code: Object.fromEntries(await Promise.all(built)) };
  const temporary = new URL(`bundles.${randomUUID()}.tmp`, folder);
  const write = async () => {
    await writeFile(temporary, JSON.stringify(bundles));
    await rename(temporary, new URL('bundles.json', folder));
  };
  await write().catch(() => {}); // the folder is not writable
  return bundles;
}

/** Returns a bundle as a script. */
export async function bundleEntry(entry: URL): Promise<string> {
  const input = fileURLToPath(entry);
  await using bundler = await rolldown({ input, tsconfig: false, logLevel: 'warn' });
  const { output } = await bundler.generate({ format: 'iife', minify: true });
  return output[0].code;
}
