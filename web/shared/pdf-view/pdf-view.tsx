/** Shows a PDF with its tools. The viewer is loaded with the first PDF. */
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './pdf-view.css';
import { ContentsPanel } from './contents-panel.tsx';
import { FindBar } from './find-bar.tsx';
import { FirstPicture, usePicture } from './first-picture.tsx';
import { viewer } from './open-viewer.ts';
import { type Beside, PreviewTools } from './preview-tools.tsx';
import type { Viewer } from './viewer.ts';

export interface PdfViewProps {
  pdf: Uint8Array | undefined;
  /** The URL of a picture of the first page, which is shown while the viewer is loaded. */
  picture?: string | undefined;
  password?: string | undefined;
  /** Whether the next PDF is being rendered. */
  busy?: boolean;
  /** What is said over the PDF if it is outdated. It is then dimmed. */
  outdated?: string | undefined;
  /** Whether thumbnails are shown at first. */
  thumbnails: boolean;
  /** Is called with all words of the PDF, and the index of the one that was clicked. */
  onWord?: Viewer['onWord'];
  /** Is called when the first page of a PDF can be seen, in a picture or otherwise before it is opened. */
  onSeen?(): void;
  /** The content that is shown until there is a PDF. */
  children?: ComponentChildren;
}

export function PdfView({ pdf, picture, password, busy = false, outdated, thumbnails, onWord, onSeen, children }: PdfViewProps) {
  const scroller = useRef<HTMLElement>(null);
  const side = useRef<HTMLElement>(null);
  const beside = useSignal<Beside>(thumbnails ? 'thumbnails' : undefined);
  const finding = useSignal(false);
  const error = useSignal('');
  /** What is said beside the field for the password. Undefined while none is needed. */
  const asked = useSignal<string | undefined>(undefined);
  const first = usePicture(picture);
  const show = async (given: string | undefined) => {
    if (!pdf || !scroller.current || !side.current) return;
    await first.seen();
    onSeen?.();
    const failure = await showIn(scroller.current, side.current, pdf, given).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    if (!failure) first.end();
    const isProtected = failure?.name === 'PasswordException';
    asked.value = isProtected ? askForPassword(given) : undefined;
    if (viewer.value) viewer.value.onWord = onWord;
    error.value = failure && !isProtected ? `The PDF cannot be displayed (${failure.message}). You can download it.` : '';
  };
  useEffect(() => void show(password), [pdf]);
  const showsContents = useComputed(() => beside.value === 'contents');
  const closeFind = () => {
    finding.value = false;
    scroller.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f' || !viewer.value) return;
    event.preventDefault();
    finding.value = true;
  };
  useEffect(
    () => () => {
      void viewer.value?.destroy();
      viewer.value = undefined;
    },
    [],
  );
  return (
    <section class="preview" aria-label="Preview" aria-busy={busy} onKeyDown={onKeyDown}>
      <PreviewTools beside={beside} finding={finding} />
      <div class={outdated && pdf ? 'preview-body outdated' : 'preview-body'}>
        {outdated && pdf && <p class="outdated-text">{outdated}</p>}
        <nav ref={side} class="thumbnails" aria-label="Pages" hidden={beside.value !== 'thumbnails' || !pdf} />
        <ContentsPanel shown={showsContents} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <section ref={scroller} class="scroller" tabIndex={0} aria-label="Pages of the PDF">
          {!pdf && !first.shown && children}
          {first.shown && <FirstPicture {...first} />}
          {asked.value !== undefined && <PasswordForm asked={asked.value} onPassword={(given) => void show(given)} />}
        </section>
      </div>
      {finding.value && <FindBar onClose={closeFind} />}
      {error.value && (
        <p class="error preview-error" role="alert">
          {error.value}
        </p>
      )}
    </section>
  );
}

function askForPassword(refused: string | undefined): string {
  return refused === undefined ? 'This PDF is protected.' : 'The PDF does not open with this password.';
}

/** Asks for the password of a PDF, which stays in this page. */
export function PasswordForm({ asked, onPassword }: { asked: string; onPassword(password: string): void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      class="pdf-password"
      onSubmit={(event) => {
        event.preventDefault();
        onPassword(field.current?.value ?? '');
      }}
    >
      <p role="status">{asked}</p>
      <div class="field">
        <label for="pdf-password">Password</label>
        <input id="pdf-password" type="password" autocomplete="off" ref={field} />
      </div>
      <div class="actions">
        <button type="submit" class="button primary">
          Show the PDF
        </button>
      </div>
    </form>
  );
}

async function showIn(scroller: HTMLElement, side: HTMLElement, pdf: Uint8Array, password: string | undefined): Promise<void> {
  const { Viewer } = await import('./viewer.ts');
  if (!scroller.isConnected) return; // the visitor has left in the meantime
  viewer.value ??= new Viewer(scroller, side) as Viewer;
  await viewer.value.show(pdf, password);
}
