/** Runs `platen` commands of a suite, with their files in a folder of its own. */
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runCli } from './service.ts';

/** Makes the folder, which is removed after the suite. The data folder of the commands is in it. */
export function setUpCli(settings: Record<string, string> = {}) {
  const { path: folder, remove } = mkdtempDisposableSync(join(tmpdir(), 'platen-cli-'));
  afterAll(() => remove());
  const { PATH = '', HOME = folder } = process.env;
  const env: Record<string, string> = { PATH, HOME, PLATEN_DATA_DIR: join(folder, 'data'), ...settings };
  return {
    folder,
    env,
    cli: (...args: string[]) => runCli(args, env),
    /** Runs a command that must fail. */
    async failure(args: string[], extra: Record<string, string> = {}): Promise<{ code: number; stderr: string }> {
      const { code, stderr } = await runCli(args, { ...env, ...extra }).then(
        () => Promise.reject(new Error('it did not fail')),
        (error: { code: number; stderr: string }) => error,
      );
      return { code, stderr };
    },
  };
}
