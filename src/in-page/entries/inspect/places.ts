/** The places in which missing parts are looked for, and what is common to all parts. */
import type { MissingReason } from '../../contract/inspection.ts';
import { framedDocuments, type Root, withShadows } from '../../dom/roots.ts';

/** The document itself, or a shadow root in it, which has no window of its own. */
export interface Place {
  page: Document;
  root: Root;
}

/** Notes a missing part, if it has a URL and a reason, and alternatives of which one would have been enough. */
export type Note = (url: string, reason: MissingReason | undefined, others?: string[]) => void;

/** Includes the documents of frames that can be accessed. */
export function findPlaces(page: Document): Place[] {
  const inner = framedDocuments(page, true).flatMap((each) => findPlaces(each));
  return [...withShadows(page).map((root) => ({ page, root })), ...inner];
}

/** Returns why a URL cannot be loaded, or undefined if it may be. */
export function findUrlFault(url: string, base: string): MissingReason | undefined {
  const scheme = /^\s*([a-z][-+.\w]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'file') return 'file';
  return URL.canParse(url, base) ? undefined : 'base';
}

/** Decodes images in `data:` URLs, because a broken one cannot be found otherwise if nothing listened for its error event. */
export async function noteUndecodable(urls: Iterable<string>, note: Note): Promise<void> {
  await Promise.all([...urls].map(async (url) => (await decodes(url)) || note(url, 'image')));
}

function decodes(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const image = new Image();
    image.addEventListener('load', () => resolve(true));
    image.addEventListener('error', () => resolve(false));
    image.src = url;
  });
}
