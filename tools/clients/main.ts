/**
 * `npm run clients`: writes the generated files of both clients; with the argument `typescript`, only those that are not committed.
 * A test fails when the committed ones differ from what this writes.
 */
import { writeFile } from 'node:fs/promises';
import { CLIENTS, clientFiles } from './files.ts';

const [client = ''] = process.argv.slice(2);
for (const [path, text] of await clientFiles()) if (path.startsWith(client)) await writeFile(CLIENTS + path, text);
