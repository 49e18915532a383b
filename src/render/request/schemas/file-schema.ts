/** The schema of PDFs that exist. Keywords of the schema hold its documentation. */
import { Type } from 'typebox';
import { option } from './option.ts';

const MAX_FILE = 134_217_728;

export const FileOf = (description: string) =>
  option(Type.String({ maxLength: MAX_FILE }), {
    expected: 'the name of a file in assets or in the form, or base64',
    contentMediaType: 'application/pdf',
    description: `${description}: the name of a file in \`assets\` or of a part \`files\` of the form, or base64.`,
    examples: ['terms.pdf'],
  });
export const DocumentId = option(Type.String({ maxLength: 64 }), {
  description: 'A stored document of the same key.',
  examples: ['doc_0123456789ABCDEFGHIJKL'],
});
