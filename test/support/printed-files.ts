/** Saves rendered PDFs as files for external tools. Each file has passed qpdf's check. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bytesOf, succeeded } from './client.ts';
import { type Service, startService } from './service.ts';

export const run = promisify(execFile);

/** Returns the output of a tool. */
export async function outputOf(tool: string, ...args: string[]): Promise<string> {
  return (await run(tool, args)).stdout;
}

export class PrintedFiles {
  readonly service: Service;
  readonly #folder: string;
  #count = 0;

  static async open(settings: Record<string, string> = {}): Promise<PrintedFiles> {
    return new PrintedFiles(await startService(settings), await mkdtemp(join(tmpdir(), 'platen-printed-')));
  }

  private constructor(service: Service, folder: string) {
    this.service = service;
    this.#folder = folder;
  }

  /** Returns the path of the file. */
  async render(html: string, options?: object): Promise<string> {
    const response = await succeeded(this.service.pdf(options ? { html, options } : { html }));
    return this.save(await bytesOf(response));
  }

  /** Returns the path of the file. */
  async save(pdf: Uint8Array): Promise<string> {
    const file = join(this.#folder, `${this.#count++}.pdf`);
    await writeFile(file, pdf);
    await run('qpdf', ['--check', file]);
    return file;
  }

  async close(): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
