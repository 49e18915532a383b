/** Replaces jq for the commands of the documents on machines without it: `jq -r .name` prints a string of the JSON on standard input. */
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const { positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { raw: { type: 'boolean', short: 'r' } },
});
const [, name = ''] = /^\.(\w+)$/.exec(positionals[0] ?? '') ?? [];
const { [name]: value } = (await json(process.stdin)) as Record<string, unknown>;
if (typeof value !== 'string') throw new Error(`the JSON has no string ${positionals[0]}`);
process.stdout.write(`${value}\n`);
