/** The pages of a PDF. What shows them is loaded with the first one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Fault } from './pieces.tsx';

export function PdfPreview({ bytes, name }: { bytes: Uint8Array<ArrayBuffer>; name: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    const left = new AbortController();
    import('./pdf-pages.ts')
      .then(({ showPages }) => place.current && showPages(place.current, bytes, left.signal))
      .catch((error: unknown) => {
        if (!left.signal.aborted) setFault(error);
      });
    return () => left.abort();
  }, [bytes]);
  return (
    <>
      <Fault fault={fault} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class="pages" ref={place} aria-label={`Pages of ${name}`} tabIndex={0} />
    </>
  );
}
