/** `npm run docs`: writes `docs/reference` from the code, and the pages of benchmarks and compatibility from their last results. A test fails when the files differ from what this writes. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { benchmarkFiles, OPERATE } from './benchmarks.ts';
import { COMPATIBILITY, readFeatures, writeCompatibility } from './compatibility.ts';
import { REFERENCE, referenceFiles } from './reference.ts';

await mkdir(REFERENCE, { recursive: true });
for (const [name, text] of await referenceFiles()) await writeFile(join(REFERENCE, name), text);
for (const [name, text] of await benchmarkFiles()) await writeFile(join(OPERATE, name), text);
await writeFile(COMPATIBILITY, writeCompatibility(await readFeatures()));
