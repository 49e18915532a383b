/** `npm run check`: runs the checks at the same time, and prints what each that failed has to say. */
import { exec } from 'node:child_process';

/** What a check remembers of the files it has seen. The second time, it looks at those that changed. */
const CACHE = '.cache';

const CHECKS = [
  types('.', 'main'), // the longest, so it begins first
  types('web', 'web'),
  types('clients/typescript', 'client'),
  `cspell lint --no-progress --no-summary --cache --cache-strategy content --cache-location ${CACHE}/cspell`,
  'depcruise --config .dependency-cruiser.json src test bench web tools clients/typescript/src',
  'biome check .',
  'node --disable-warning=ExperimentalWarning tools/check-phrases.ts',
  'node --disable-warning=ExperimentalWarning tools/check-in-page.ts',
];

for (const failure of await Promise.all(CHECKS.map(run))) {
  if (failure === undefined) continue;
  process.stderr.write(failure);
  process.exitCode = 1;
}

function types(project: string, name: string): string {
  return `tsc --noEmit -p ${project} --incremental --tsBuildInfoFile ${CACHE}/${name}.tsbuildinfo`;
}

/** What it printed, if it failed. */
function run(command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    exec(command, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve(error ? `${command}: failed\n${stdout}${stderr}\n` : undefined);
    });
  });
}
