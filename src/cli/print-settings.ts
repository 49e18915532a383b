/** `platen settings`: lists the environment variables of the settings with their defaults. */
import { describeSettings } from '../config.ts';

export function printSettings(): void {
  for (const { env, fallback, help } of describeSettings())
    process.stdout.write(`${env}  (default: ${fallback || 'empty'})\n    ${help}\n`);
}
