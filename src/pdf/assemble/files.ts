/** Reads the attachments of a PDF, and adds others. */
import type { PdfStream } from '@libpdf/core';
import { type AssociatedFile, attach } from '../edit/attachments.ts';
import { RELATIONSHIPS } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { type OpenDocument, StepError } from './open-document.ts';

export interface AttachStep {
  files: AssociatedFile[];
}

const MAX_FILES = 1_000;

/** Embedded files that cannot be read are left out. */
export function readFiles(pdf: EditablePdf): AssociatedFile[] {
  const files: AssociatedFile[] = [];
  const tree = pdf.dict(pdf.catalog, 'Names')?.get('EmbeddedFiles');
  for (const [key, value] of [...treeEntries(pdf, tree, 'Names')].slice(0, MAX_FILES)) {
    const specification = pdf.asDict(value);
    const file = pdf.dict(specification, 'EF');
    const stream = pdf.stream(file, 'UF') ?? pdf.stream(file, 'F');
    const content = stream && decode(stream);
    if (!content) continue;
    const text = (entry: string) => pdf.text(specification, entry) || undefined;
    const relationship = RELATIONSHIPS.find((each) => each === pdf.name(specification, 'AFRelationship'));
    const type = pdf.name(stream, 'Subtype') || undefined;
    const name = text('UF') ?? text('F') ?? pdf.label(key) ?? 'file';
    files.push({ name, type, description: text('Desc'), content, relationship });
  }
  return files;
}

function decode(stream: PdfStream): Uint8Array | undefined {
  try {
    return stream.getDecodedData();
  } catch {
    return undefined;
  }
}

/** The files that the document has stay. */
export function attachFiles({ pdf }: OpenDocument, { files }: AttachStep): void {
  const own = readFiles(pdf);
  const names = new Set(own.map(({ name }) => name));
  const taken = files.findIndex(({ name }) => names.has(name));
  if (taken >= 0) throw new StepError(`files[${taken}].name`, 'is the name of a file that is attached already');
  attach(pdf, [...own, ...files]);
}

/** Gives files of the same name numbers. */
export function withUniqueNames(files: readonly AssociatedFile[]): AssociatedFile[] {
  const names = new Set<string>();
  return files.map((file) => {
    const [stem, extension] = [file.name.replace(/\.[^.]*$/, ''), /\.[^.]*$/.exec(file.name)?.[0] ?? ''];
    let { name } = file;
    for (let number = 2; names.has(name); number++) name = `${stem}-${number}${extension}`;
    names.add(name);
    return { ...file, name };
  });
}
