/** Finds the folder in which a command was called. Relative paths in its arguments start there. */
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** Changes back to the caller's folder, because `npm run platen` changes to the checkout. Call it after loading the settings. */
export function changeToCallerFolder(): void {
  const { INIT_CWD: folder, npm_lifecycle_event: script, npm_package_json: file } = process.env;
  if (folder && script === 'platen' && file === PACKAGE) process.chdir(folder);
}
