/** Runs the code that the pages show, in the languages that this machine has. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from './close-after-all.ts';
import { isInstalled, pathWithCurlAndJq } from './shell-path.ts';

const CLIENT = new URL('../../clients/typescript/src/index.ts', import.meta.url).href;
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];

const COMMANDS: Record<string, { file: string; command: string[] }> = {
  'TypeScript client': { file: 'client.mjs', command: NODE },
  curl: { file: 'render.sh', command: ['sh'] },
  JavaScript: { file: 'render.mjs', command: NODE },
  ...(isInstalled('python3') && { Python: { file: 'render.py', command: ['python3'] } }),
  ...(hasPhp() && { PHP: { file: 'render.php', command: ['php'] } }),
};

/** Those that this machine has. The Python client has tests of its own. */
export const LANGUAGES = Object.keys(COMMANDS);

/** The code needs an extension that PHP may lack. */
function hasPhp(): boolean {
  return spawnSync('php', ['-r', "exit(extension_loaded('curl') ? 0 : 1);"]).status === 0;
}

/** A folder in which code runs as a newcomer's does, with the client installed. */
export async function openSnippetFolder() {
  const folder = await makeFolder('snippets');
  await mkdir(join(folder, 'client'));
  await writeFile(join(folder, 'client/package.json'), '{ "type": "module", "exports": "./index.mjs" }');
  await writeFile(join(folder, 'client/index.mjs'), `export * from '${CLIENT}';`);
  await mkdir(join(folder, 'node_modules'));
  await symlink('../client', join(folder, 'node_modules/platen-client'));
  const PATH = await pathWithCurlAndJq(folder);
  return {
    folder,
    path: PATH,
    /** Returns the bytes of `document.pdf`. */
    async run(language: string, code: string, key: string): Promise<Buffer> {
      const { file, command } = COMMANDS[language] as (typeof COMMANDS)[string];
      const [program = '', ...args] = command;
      await writeFile(join(folder, file), code);
      await rm(join(folder, 'document.pdf'), { force: true });
      await promisify(execFile)(program, [...args, file], { cwd: folder, env: { PATH, PLATEN_API_KEY: key } });
      return readFile(join(folder, 'document.pdf'));
    },
  };
}
