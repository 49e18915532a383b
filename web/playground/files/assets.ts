/** Makes the files of a draft those of a request, and the reverse. */
import { toBase64 } from '../../shared/base64.ts';
import { readFileAs } from '../../shared/file-content.ts';
import { STYLE } from '../../shared/kept-drafts.ts';
import { keepFile, readFile } from '../../shared/kept-files.ts';
import { type Draft, type DraftFile, hasFiles } from '../draft.ts';

/** As in `POST /v1/pdf`: paths, and content in base64. */
export type Assets = Record<string, { content: string; type?: string }>;

/** Throws if a file is not kept any more. */
export async function toAssets(draft: Draft): Promise<Assets> {
  if (!hasFiles(draft)) return {};
  const assets: Array<[string, Assets[string]]> = draft.style ? [[STYLE, { content: toBase64(draft.style) }]] : [];
  for (const [name, { id, type }] of Object.entries(draft.files)) {
    const content = await readFile(id);
    if (content === undefined)
      throw new Error(`This browser no longer has the file ${name}. Add it again under Files, or remove it.`);
    assets.push([name, { content, ...(type && { type }) }]);
  }
  return Object.fromEntries(assets);
}

/** Throws if it cannot be read or kept. */
export async function toDraftFile(file: Blob, name: string): Promise<DraftFile> {
  const content = await readFileAs(file, 'base64').catch(() => {
    throw new Error(`${name} cannot be read. A folder cannot be added, only files.`);
  });
  return { id: await keepFile(content), type: file.type, bytes: file.size };
}

/** The size of all files together. */
export function countBytes({ style, files }: Pick<Draft, 'style' | 'files'>): number {
  return Object.values(files).reduce((sum, { bytes }) => sum + bytes, new Blob([style]).size);
}
