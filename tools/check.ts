/** `npm run check`: writes the types of the TypeScript client, runs all checks concurrently, and prints the output of those that failed. */
import { exec } from 'node:child_process';

/** The cache of the checks. The second run only checks changed files. */
const CACHE = '.cache';
/** TypeScript 7. `tsc` by itself may be version 6, whose API other tools need. */
const TSC = 'node node_modules/typescript-7/bin/tsc';

/** Before the checks, because they read the file, and one that is older than the sources would hide errors. */
const GENERATE = 'node --disable-warning=ExperimentalWarning tools/clients/main.ts typescript';

const CHECKS = [
  types('.', 'main'), // the slowest, so it starts first
  types('web', 'web'),
  types('src/in-page', 'in-page'),
  types('clients/typescript', 'client'),
  `cspell lint --no-progress --no-summary --cache --cache-strategy content --cache-location ${CACHE}/cspell`,
  'depcruise --config .dependency-cruiser.json src test bench web tools clients/typescript/src',
  'biome check .',
];

for (const failure of [await run(GENERATE), ...(await Promise.all(CHECKS.map(run)))]) {
  if (failure === undefined) continue;
  process.stderr.write(failure);
  process.exitCode = 1;
}

function types(project: string, name: string): string {
  return `${TSC} --noEmit -p ${project} --singleThreaded --incremental --tsBuildInfoFile ${CACHE}/${name}.tsbuildinfo`;
}

/** Returns the output if the command failed. */
function run(command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    exec(command, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve(error ? `${command}: failed\n${stdout}${stderr}\n` : undefined);
    });
  });
}
