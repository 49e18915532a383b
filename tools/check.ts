/** `npm run check`: runs the checks at the same time, and prints what each that failed has to say. */
import { exec } from 'node:child_process';

const CHECKS = [
  'tsc --noEmit', // the longest, so it begins first
  'tsc --noEmit -p web',
  'tsc --noEmit -p clients/typescript',
  'cspell lint --no-progress --no-summary',
  'depcruise --config .dependency-cruiser.json src test bench web tools clients/typescript/src',
  'biome check .',
  'node --disable-warning=ExperimentalWarning tools/check-phrases.ts',
];

for (const failure of await Promise.all(CHECKS.map(run))) {
  if (failure === undefined) continue;
  process.stderr.write(failure);
  process.exitCode = 1;
}

/** What it printed, if it failed. */
function run(command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    exec(command, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve(error ? `${command}: failed\n${stdout}${stderr}\n` : undefined);
    });
  });
}
