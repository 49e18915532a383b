/** A form as it was sent, with its values read. */
import type { UploadedFile } from '../render/request/values/assets.ts';

/** What the names need of a form. It holds no files, because it is kept as long as the render lasts. */
export interface SentForm {
  /** Values by the name of their field. */
  values: ReadonlyMap<string, unknown>;
  /** Members of fields as they were sent, by what errors call them: `metadata.CreateDate` by `metadata.creationDate`. */
  aliases: ReadonlyMap<string, string>;
}

export interface GotenbergForm extends SentForm {
  values: Map<string, unknown>;
  aliases: Map<string, string>;
  /** Files, whose paths are names without folders. */
  files: UploadedFile[];
  embeds: UploadedFile[];
  watermark: UploadedFile[];
  stamp: UploadedFile[];
  invoices: UploadedFile[];
  /** The converted page, on the Markdown route. */
  html?: string;
}

/** The last part of a path, also of Windows. */
export function withoutFolders(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
