/** Shows a thumbnail of a stored image, or of a PDF's first page, once it scrolls into view. If it cannot be drawn, the frame stays empty. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DocumentRecord } from './records.ts';
import { call, onSignOut } from './session.ts';

/** Twice the size on the page, for high-resolution screens. */
const WIDTH_PIXELS = 112;
const LOADED_AT_ONCE = 2;
/** A larger image is not loaded for its thumbnail. */
const MAX_IMAGE_BYTES = 1_000_000;

/** URLs of loaded images, by document. Documents never change. */
const urls = new Map<string, string>();
const waiting: Array<() => Promise<void>> = [];
let underWay = 0;

onSignOut(() => {
  for (const url of urls.values()) URL.revokeObjectURL(url);
  urls.clear();
});

export function Thumbnail({ document }: { document: DocumentRecord }) {
  const { document_id: id } = document;
  const [url, setUrl] = useState(urls.get(id));
  const frame = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (url !== undefined || !frame.current) return undefined;
    const left = new AbortController();
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      runLimited(async () => {
        if (!left.signal.aborted) setUrl(await load(document, left.signal));
      });
    });
    observer.observe(frame.current);
    return () => {
      observer.disconnect();
      left.abort();
    };
  }, [document, url]);
  return (
    <span class="first-page" ref={frame}>
      {url !== undefined && <img src={url} alt="" />}
    </span>
  );
}

async function load({ document_id: id, type, bytes }: DocumentRecord, signal: AbortSignal): Promise<string | undefined> {
  const isPdf = type === 'application/pdf';
  if (!isPdf && bytes > MAX_IMAGE_BYTES) return undefined;
  const path = `/v1/documents/${encodeURIComponent(id)}${isPdf ? `/pages/1.png?width=${WIDTH_PIXELS}` : ''}`;
  const reply = await call(path, { signal });
  const url = URL.createObjectURL(await reply.blob());
  urls.set(id, url);
  return url;
}

/** Limits the number of simultaneous requests for long lists. */
function runLimited(work: () => Promise<void>): void {
  waiting.push(work);
  next();
}

function next(): void {
  if (underWay >= LOADED_AT_ONCE) return;
  const work = waiting.shift();
  if (!work) return;
  underWay++;
  work()
    .catch(() => {}) // the frame stays empty
    .finally(() => {
      underWay--;
      next();
    });
}
