/** `platen settings`: lists the environment variables of the settings with their defaults and valid values. */
import { describeSettings } from '../config.ts';

export function printSettings(): void {
  for (const { env, fallback, valid, help } of describeSettings())
    process.stdout.write(`${env}  (default: ${fallback || 'empty'}; valid: ${valid.replaceAll('`', '')})\n    ${help}\n`);
}
