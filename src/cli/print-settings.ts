/** `platen settings`: the settings with their defaults, as they are read from the environment. */
import { describeSettings } from '../config.ts';

export function printSettings(): void {
  for (const { env, fallback, help } of describeSettings())
    process.stdout.write(`${env}  (default: ${fallback || 'empty'})\n    ${help}\n`);
}
