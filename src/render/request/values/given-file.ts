/** A PDF that exists: the name of a file of the request, base64 or the id of a stored document in, its content or its id out. */
import type { HostedFiles } from '../../../chromium/load/load-settings.ts';
import type { ValidationErrors } from './validation-errors.ts';

export type GivenFile = { content: Buffer } | { documentId: string };

const PDF_IN_BASE64 = Buffer.from('%PDF').toString('base64').slice(0, 5);

/** A name of one of the files, or the file itself. */
export function parseFile(
  { file, document_id: documentId }: { file?: string; document_id?: string },
  at: string,
  files: HostedFiles,
  errors: ValidationErrors,
): GivenFile | undefined {
  if (documentId !== undefined) return { documentId };
  if (file === undefined) return undefined;
  const named = files.get(file);
  if (named) return { content: named.content };
  if (!file.startsWith(PDF_IN_BASE64) && file.length < 512) {
    errors.add(`${at}.file`, 'is no file of this request, and no PDF as base64');
    return undefined;
  }
  const content = Buffer.from(file, 'base64');
  if (content.toString('base64') !== file) errors.add(`${at}.file`, 'must be base64, padded and without line breaks');
  return { content };
}
