/**
 * Encodes the visible part of a draft, without its files, in the fragment of a URL, which browsers do not send: deflated JSON in
 * base64url. It contains only data.
 */
import { toBase64 } from '../shared/base64.ts';
import { type Draft, partOnScreen, toDraft } from './draft.ts';

const PREFIX = '#v1.';
/** The maximum length of the fragment. Longer links break in e-mails and chats. */
export const MAX_LINK = 100_000;
/** Limits the decompressed JSON, so that a small link cannot use much memory. */
const MAX_JSON_BYTES = 4_194_304;

export type OpenedLink = { draft: Draft } | { error: string };

/** Returns undefined if the draft is too large. */
export async function linkTo(draft: Draft): Promise<string | undefined> {
  const packed = await readBytes(
    new Blob([JSON.stringify(partOnScreen(draft))]).stream().pipeThrough(new CompressionStream('deflate-raw')),
  );
  const fragment = PREFIX + toBase64Url(packed);
  return fragment.length > MAX_LINK ? undefined : `${location.origin}${location.pathname}${fragment}`;
}

/** Returns undefined if the fragment is not a shared draft. */
export async function openLink(fragment: string): Promise<OpenedLink | undefined> {
  if (!fragment.startsWith('#v')) return undefined;
  if (!fragment.startsWith(PREFIX)) return { error: 'Another version of the playground created this link.' };
  if (fragment.length > MAX_LINK) return { error: 'This link is too long to be a link of the playground.' };
  try {
    const packed = fromBase64Url(fragment.slice(PREFIX.length));
    const json = await readBytes(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')), MAX_JSON_BYTES);
    const draft = toDraft(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)));
    if (draft) return { draft: { ...draft, files: {} } };
  } catch {
    // The code below reports it.
  }
  return { error: 'This link is damaged: part of it is missing or changed. Ask for the link again.' };
}

async function readBytes(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError('too large');
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}
