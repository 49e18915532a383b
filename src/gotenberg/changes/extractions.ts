/** The stages that write what a PDF holds into files: what an assembly extracts in, named files out. */
import { invalidField } from '../../errors.ts';
import type { Extracted } from '../../pdf/assemble/extract.ts';
import type { GivenStep } from '../../render/request/schemas/assembly-schema.ts';
import { withoutFolders } from '../sent-form.ts';

/** What is written, and what the stage says of it. */
export interface Extraction {
  op: keyof typeof EXTRACTIONS;
  members: Readonly<Record<string, unknown>>;
  /** What errors name for a member of the stage. */
  nameField(member: string): string;
}

interface ExtractedFiles {
  type: string;
  files: Array<{ name: string; content: Buffer }>;
}

const FORMATS = ['text', 'markdown'];

/** Throws `invalid_request`, which names the field. */
export function textStep(format: unknown, field: string): GivenStep {
  if (!FORMATS.includes(format as string)) throw invalidField(field, `must be one of ${FORMATS.join(', ')}`);
  return { extract: { what: [format as 'text' | 'markdown'] } };
}

const EXTRACTIONS = { 'extract-text': toText, 'extract-attachments': toAttachments };

export function isExtraction(op: string): op is Extraction['op'] {
  return Object.hasOwn(EXTRACTIONS, op);
}

/** The files of a PDF whose name without its extension is `stem`. Throws `invalid_request`. */
export function extractedFiles(extraction: Extraction, extracted: Extracted, stem: string): ExtractedFiles {
  return EXTRACTIONS[extraction.op](extraction, extracted, stem);
}

/** A form feed separates pages. */
function toText({ nameField }: Extraction, { pages, markdown }: Extracted, stem: string): ExtractedFiles {
  if (markdown === null) throw invalidField(nameField('format'), 'cannot be markdown: the PDF has no tags');
  const [text, type, extension] =
    markdown === undefined
      ? [pages.map((page) => page.text ?? '').join('\n\f'), 'plain', 'txt']
      : [`${markdown}\n`, 'markdown', 'md'];
  return { type: `text/${type}; charset=UTF-8`, files: [{ name: `${stem}.${extension}`, content: Buffer.from(text) }] };
}

/** All, or the one that is named. */
function toAttachments({ members: { name }, nameField }: Extraction, { attachments = [] }: Extracted): ExtractedFiles {
  const chosen = attachments.filter((each) => name === undefined || each.name === name);
  if (!chosen.length) throw invalidField(nameField('name'), `names none of the ${attachments.length} attachments of the PDF`);
  const files = chosen.map((each) => ({
    name: withoutFolders(each.name) || 'file',
    content: Buffer.from(each.content, 'base64'),
  }));
  return { type: 'application/octet-stream', files };
}
