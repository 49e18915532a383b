/**
 * Replaces curl for the commands of the playground and the README on machines without it: it takes the same arguments and
 * standard input, sends the same request, and writes the body of the reply to the same file. It fails on unknown arguments.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    request: { type: 'string', short: 'X' },
    globoff: { type: 'boolean', short: 'g' },
    'no-buffer': { type: 'boolean', short: 'N' },
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    'fail-with-body': { type: 'boolean' },
    fail: { type: 'boolean', short: 'f' },
    data: { type: 'string', short: 'd' },
    form: { type: 'string', short: 'F', multiple: true },
    header: { type: 'string', short: 'H', multiple: true },
    'data-binary': { type: 'string' },
    output: { type: 'string', short: 'o' },
  },
});
const [url = ''] = positionals;
const data = values['data-binary'] ?? values.data;
const form = values.form && (await formOf(values.form));

const reply = await fetch(url, {
  method: values.request ?? (data === undefined && !form ? 'GET' : 'POST'),
  headers: (values.header ?? []).map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]),
  ...(form && { body: form }),
  ...(data !== undefined && { body: await bodyOf(data) }),
});
const body = Buffer.from(await reply.arrayBuffer());
if (values.output) await writeFile(values.output, body);
else process.stdout.write(body);
if ((values['fail-with-body'] || values.fail) && !reply.ok) process.exitCode = 22;

/** Reads a body, `@-` for standard input, and `@file` for a file. */
function bodyOf(data: string): Promise<Buffer> | string {
  if (data === '@-') return buffer(process.stdin);
  return data.startsWith('@') ? readFile(data.slice(1)) : data;
}

/** Reads `name=value`, `name=<file` with the text of a file, and `name=@file;filename=path` with the file itself. */
async function formOf(fields: string[]): Promise<FormData> {
  const form = new FormData();
  for (const field of fields) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(field) ?? [];
    if (value.startsWith('<')) form.append(name, await readFile(value.slice(1), 'utf8'));
    else if (value.startsWith('@')) form.append(name, await fileOf(value.slice(1)));
    else form.append(name, value);
  }
  return form;
}

async function fileOf(value: string): Promise<File> {
  const [path = '', name = basename(path)] = value.split(';filename=');
  return new File([await readFile(path)], name);
}
