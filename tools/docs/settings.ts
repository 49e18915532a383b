/** Generates the page of settings from the table in `src/config.ts`. */
import { describeSettings } from '../../src/config.ts';
import { code, page, table } from './markdown.ts';

const INTRODUCTION = `Environment variables that the service reads at its start. It reports every problem with them at once and does not
start while there is one. A variable that begins with \`PLATEN_\` and is not listed here is reported as well. \`platen settings\` prints the same
with the defaults of your machine; in a checkout, it is \`npm run --silent platen -- settings\`. [Settings by task](../operate/settings.md) lists the most important ones.`;

export function settingsPage(): string {
  const rows = describeSettings().map(({ env, fallback, rule, valid, help }) => [
    code(env),
    rule ?? (fallback ? code(fallback) : 'empty'),
    valid,
    help,
  ]);
  return page('Settings', INTRODUCTION, table(['variable', 'default', 'valid', 'meaning'], rows));
}
