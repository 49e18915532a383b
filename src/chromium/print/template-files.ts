/** Finds the files that the markup of headers and footers names, which can load nothing, and has the page put them into it. */
import { Type } from 'typebox';
import type { HostedFile, HostedFiles } from '../../egress/hosted-assets.ts';
import { MAX_FILLED_BYTES } from '../../in-page/contract/limits.ts';
import type { EmbeddedFile, FilledMarkup } from '../../in-page/contract/questions.ts';
import { shape } from '../devtools/evaluate.ts';

/** Matches relative URLs in attributes and styles, and mentions that only look like them. */
export const MAY_NAME_FILES = /(?:src|srcset|href|background|poster)\s*=(?!\s*["']?(?:data:|#))|url\((?!\s*["']?(?:data:|#))/i;
/** A style sheet names a font, which names nothing. */
const MAX_ROUNDS = 4;
/** The answer to `fillTemplate`. */
export const FILLED_MARKUP = shape(Type.Object({ markup: Type.String(), named: Type.Array(Type.String()) }));

/** Fills one template with these files. */
export type Fill = (markup: string, files: Record<string, EmbeddedFile>) => Promise<FilledMarkup>;

/** Returns the markup with the files that it names, and the names of those that are missing. Undefined if it is too large. */
export async function withFiles(markup: string, files: HostedFiles, fill: Fill): Promise<FilledMarkup | undefined> {
  const embedded: Record<string, EmbeddedFile> = {};
  for (let round = 0; ; round++) {
    const filled = await fill(markup, embedded);
    const missing = filled.named.filter((name) => !Object.hasOwn(embedded, name));
    const found = missing.flatMap((name) => {
      const file = files.get(name); // a folder on the disk does not list its files
      return file ? [[name, file] as const] : [];
    });
    const isTooLarge = found.some(([, { content }]) => content.length > MAX_FILLED_BYTES);
    if (!filled.markup || isTooLarge) return undefined;
    if (!found.length || round === MAX_ROUNDS) return { markup: round ? filled.markup : markup, named: missing };
    for (const [name, file] of found) embedded[name] = embed(file);
  }
}

function embed({ type, content }: HostedFile): EmbeddedFile {
  if (/^text\/css\b/i.test(type)) return { css: content.toString() };
  return { url: `data:${type.replace(/[^\w.+/;=:-]/g, '')};base64,${content.toString('base64')}` };
}
