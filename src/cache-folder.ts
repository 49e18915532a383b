/** The folder for what can be made again: the unpacked browser and fonts, and compiled code. Imports nothing that takes time to load. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const CACHE_VARIABLE = 'PLATEN_CACHE_DIR';
export const DEFAULT_CACHE_FOLDER = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'platen');

/** Where Node keeps compiled code. */
export function compiledFolder(): string {
  return join(cacheFolder(), 'compiled');
}

export function cacheFolder(env: Record<string, string | undefined> = process.env): string {
  return resolve(env[CACHE_VARIABLE] || DEFAULT_CACHE_FOLDER);
}
