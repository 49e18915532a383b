/** Explains that a document is too large: the error of any step that makes the document in, one that names the way out out. */
import { hasCode } from '../../../errors.ts';

/** Also for forms and the command line, which take the same files in other ways. */
const ADVICE =
  'pictures and fonts in data: URLs count, files do not: send them in assets (files in a form; files in the folder of the document with platen render) and refer to them by relative URLs';

/** Throws the error, with the advice if the document is too large. */
export function suggestAssets(error: unknown): never {
  if (!hasCode(error, 'content_too_large')) throw error;
  throw error.reword(`${error.message}; ${ADVICE}`);
}
