/** The file that a command writes, or `-` for standard output. */
import { stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ServiceError } from '../../errors.ts';

/** Checks, before anything is rendered, that the file can be written and is none of the inputs. */
export async function requireOutput(path: string, inputs: readonly string[]): Promise<void> {
  if (path === '-') return;
  const file = resolve(path);
  if (inputs.some((input) => resolve(input) === file))
    throw new ServiceError('invalid_request', `${file} is an input and would be overwritten: name another file with -o`);
  const found = await stat(dirname(file)).catch(() => undefined);
  if (!found?.isDirectory())
    throw new ServiceError('invalid_request', `cannot write ${file}: the folder ${dirname(file)} does not exist`);
}

/** Writes a PDF, or the ZIP archive or JSON that some steps make, unless the name of the file says that it is a PDF. */
export async function writeOutput(path: string, content: Buffer, mediaType: string): Promise<void> {
  if (path === '-') process.stdout.write(content);
  else if (/\.pdf$/i.test(path) && mediaType !== 'application/pdf')
    throw new ServiceError('invalid_request', `${path} would not be a PDF, but ${mediaType}: name another file with -o`);
  else await writeFile(resolve(path), content);
}
