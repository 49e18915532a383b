/** Where the caller of a command is, from which the paths that are given to it start. */
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));

/** `npm run platen` changes to the folder of the checkout; this changes back. To be called once the settings are read. */
export function standWithCaller(): void {
  const { INIT_CWD: folder, npm_lifecycle_event: script, npm_package_json: file } = process.env;
  if (folder && script === 'platen' && file === PACKAGE) process.chdir(folder);
}
