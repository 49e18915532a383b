/** Unpacks a stored data folder of an earlier version from `test/storage/folders`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

export function unpackFolder(name: 'baseline' | 'before-baseline', dataDir: string): void {
  const archive = new URL(`../storage/folders/${name}.tar.gz`, import.meta.url).pathname;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  execFileSync('tar', ['-xzf', archive, '-C', dataDir]);
}
