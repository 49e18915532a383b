/**
 * Replaces curl for the commands of the playground and the README on machines without it: it takes the same arguments and
 * standard input, sends the same request, and writes the body of the reply to the same file. It fails on unknown arguments.
 */
import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    'fail-with-body': { type: 'boolean' },
    fail: { type: 'boolean', short: 'f' },
    data: { type: 'string', short: 'd' },
    header: { type: 'string', short: 'H', multiple: true },
    'data-binary': { type: 'string' },
    output: { type: 'string', short: 'o' },
  },
});
const [url = ''] = positionals;
const data = values['data-binary'] ?? values.data;

const reply = await fetch(url, {
  method: data === undefined ? 'GET' : 'POST',
  headers: (values.header ?? []).map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]),
  ...(data !== undefined && { body: data === '@-' ? await buffer(process.stdin) : data }),
});
const body = Buffer.from(await reply.arrayBuffer());
if (values.output) await writeFile(values.output, body);
else process.stdout.write(body);
if ((values['fail-with-body'] || values.fail) && !reply.ok) process.exitCode = 22;
