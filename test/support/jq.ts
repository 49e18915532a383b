/** Replaces jq for the commands of the documents on machines without it: `jq -r .name [FILE]` prints a string of the JSON. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const { positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { raw: { type: 'boolean', short: 'r' } },
});
const [, name = ''] = /^\.(\w+)$/.exec(positionals[0] ?? '') ?? [];
const { [name]: value } = JSON.parse(await (positionals[1] ? readFile(positionals[1], 'utf8') : text(process.stdin))) as Record<
  string,
  unknown
>;
if (typeof value !== 'string') throw new Error(`the JSON has no string ${positionals[0]}`);
process.stdout.write(`${value}\n`);
