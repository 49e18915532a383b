/** Shows a small image of a document's first page once it scrolls into view. If it cannot be drawn, the sheet stays empty. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DocumentRecord } from './records.ts';
import { call, whenSignedOut } from './session.ts';

/** Twice the size on the page, for high-resolution screens. */
const WIDTH_PIXELS = 112;
const LOADED_AT_ONCE = 2;

/** URLs of loaded images, by document. Documents never change. */
const urls = new Map<string, string>();
const waiting: Array<() => Promise<void>> = [];
let underWay = 0;

whenSignedOut(() => {
  for (const url of urls.values()) URL.revokeObjectURL(url);
  urls.clear();
});

export function Thumbnail({ document: { document_id: id } }: { document: DocumentRecord }) {
  const [url, setUrl] = useState(urls.get(id));
  const sheet = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (url !== undefined || !sheet.current) return undefined;
    const left = new AbortController();
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      inTurn(async () => {
        if (!left.signal.aborted) setUrl(await load(id, left.signal));
      });
    });
    observer.observe(sheet.current);
    return () => {
      observer.disconnect();
      left.abort();
    };
  }, [id, url]);
  return (
    <span class="first-page" ref={sheet}>
      {url !== undefined && <img src={url} alt="" />}
    </span>
  );
}

async function load(id: string, signal: AbortSignal): Promise<string> {
  const reply = await call(`/v1/documents/${encodeURIComponent(id)}/pages/1.png?width=${WIDTH_PIXELS}`, { signal });
  const url = URL.createObjectURL(await reply.blob());
  urls.set(id, url);
  return url;
}

/** Limits the number of simultaneous requests for long lists. */
function inTurn(work: () => Promise<void>): void {
  waiting.push(work);
  next();
}

function next(): void {
  if (underWay >= LOADED_AT_ONCE) return;
  const work = waiting.shift();
  if (!work) return;
  underWay++;
  work()
    .catch(() => {}) // the sheet stays empty
    .finally(() => {
      underWay--;
      next();
    });
}
