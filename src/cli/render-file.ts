/** `platen render`: an HTML or Markdown file, or an address in, a PDF file out, without a server. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { startEngine } from '../app.ts';
import { loadConfig } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { printAlone } from '../render/print-content.ts';
import { parseRenderRequest } from '../render/render-request.ts';
import { type RenderReport, requireNone } from '../render/report.ts';

/** Nothing but the PDF may reach standard output; warnings go to standard error. */
export const quietLogger = {
  info: () => {},
  warn: (_details: object, message: string) => process.stderr.write(`platen: ${message}\n`),
};

export async function renderFile(input: string, flags: { output: string; options?: string }): Promise<void> {
  const config = { ...loadConfig(), browsers: 1, concurrency: 1, sparePages: 1 };
  const options = flags.options === undefined ? undefined : parseJson(await readInput(flags.options), flags.options);
  const source = await readSource(input);
  const request = parseRenderRequest(options === undefined ? source : { ...source, options }, config);
  const engine = await startEngine(config, quietLogger, randomBytes(32));
  try {
    const pdf = await printAlone(engine, request);
    requireNone(request.failOnWarning, pdf.report);
    tellWarnings(pdf.report);
    const output = flags.output === '-' ? process.stdout : createWriteStream(flags.output);
    await pipeline(Readable.from(pdf.chunks), output);
  } finally {
    await engine.close();
  }
}

function tellWarnings({ warnings, warning_count: count }: RenderReport): void {
  for (const { kind, message, url, host } of warnings) {
    const what = url ?? host;
    process.stderr.write(`platen: ${kind}: ${what ? `${what}: ` : ''}${message}\n`);
  }
  if (count > warnings.length) process.stderr.write(`platen: and ${count - warnings.length} more\n`);
}

async function readSource(input: string): Promise<{ url: string } | { html: string } | { markdown: string }> {
  if (/^https?:\/\//i.test(input)) return { url: input };
  if (/\.(?:md|markdown)$/i.test(input)) return { markdown: await readInput(input) };
  return { html: input === '-' ? await text(process.stdin) : await readInput(input) };
}

export async function readInput(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ServiceError(
      'invalid_request',
      `cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`,
    );
  });
}

export function parseJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new ServiceError('invalid_request', `${path} is not JSON: ${(error as Error).message}`);
  }
}
