/** `npm run clients`: writes the generated files of both clients. A test fails when they differ from what this writes. */
import { writeFile } from 'node:fs/promises';
import { CLIENTS, clientFiles } from './files.ts';

for (const [path, text] of await clientFiles()) await writeFile(CLIENTS + path, text);
