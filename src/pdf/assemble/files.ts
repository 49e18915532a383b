/** Reads the attachments of a PDF, and adds others. */
import { createHash } from 'node:crypto';
import type { PdfDict, PdfStream } from '@libpdf/core';
import { type AssociatedFile, attach } from '../edit/attachments.ts';
import { RELATIONSHIPS } from '../finish-settings.ts';
import type { Dropped } from '../merge/merge-catalog.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { type OpenDocument, StepError } from './open-document.ts';

export interface AttachStep {
  files: AssociatedFile[];
}

const MAX_FILES = 1_000;
/** Of a name in a report. */
const MAX_NAME = 100;

/** Embedded files that cannot be decompressed are left out; `lost` takes what to say about them. */
export function readFiles(pdf: EditablePdf, lost: Dropped[] = [], part?: number): AssociatedFile[] {
  const tree = pdf.dict(pdf.catalog, 'Names')?.get('EmbeddedFiles');
  const entries = [...treeEntries(pdf, tree, 'Names')].slice(0, MAX_FILES);
  return entries.flatMap(([key, value]) => {
    const specification = pdf.asDict(value);
    const name = pdf.text(specification, 'UF') || pdf.text(specification, 'F') || pdf.label(key) || 'file';
    const file = pdf.dict(specification, 'EF');
    const stream = pdf.stream(file, 'UF') ?? pdf.stream(file, 'F');
    if (!specification || !stream) return [];
    const content = decode(stream);
    if (content) return [{ name, content, ...describe(pdf, specification, stream) }];
    const what = { what: 'attachments', why: `${name.slice(0, MAX_NAME)} cannot be decompressed` };
    lost.push(part === undefined ? what : { ...what, part });
    return [];
  });
}

function describe(pdf: EditablePdf, specification: PdfDict, stream: PdfStream): Omit<AssociatedFile, 'name' | 'content'> {
  const relationship = RELATIONSHIPS.find((each) => each === pdf.name(specification, 'AFRelationship'));
  const type = pdf.name(stream, 'Subtype') || undefined;
  return { type, description: pdf.text(specification, 'Desc') || undefined, relationship };
}

function decode(stream: PdfStream): Uint8Array | undefined {
  try {
    return stream.getDecodedData();
  } catch {
    return undefined;
  }
}

/** The files that the document has stay. */
export function attachFiles({ pdf, dropped }: OpenDocument, { files }: AttachStep): void {
  const own = readFiles(pdf, dropped);
  const names = new Set(own.map(({ name }) => name));
  const taken = files.findIndex(({ name }) => names.has(name));
  if (taken >= 0) throw new StepError(`files[${taken}].name`, 'is the name of a file that is attached already');
  attach(pdf, [...own, ...files]);
}

/** Keeps one of equal files, which parts have from the same options, and gives others of the same name numbers. */
export function withUniqueNames<F extends { name: string; content: Uint8Array }>(files: readonly F[]): F[] {
  const named = new Map<string, F>();
  const seen = new Set<string>();
  for (const file of files) {
    const { content, ...facts } = file;
    const identity = createHash('sha256').update(JSON.stringify(facts)).update(content).digest('hex');
    if (seen.has(identity)) continue;
    seen.add(identity);
    const [stem, extension] = [file.name.replace(/\.[^.]*$/, ''), /\.[^.]*$/.exec(file.name)?.[0] ?? ''];
    let { name } = file;
    for (let number = 2; named.has(name); number++) name = `${stem}-${number}${extension}`;
    named.set(name, { ...file, name });
  }
  return [...named.values()];
}
