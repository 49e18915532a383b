/** The editor: a document on the left, and its PDF on the right, rendered by the service that serves this page. */
import { batch } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import '../shared/controls.css';
import { request } from '../shared/api.ts';
import { SIGNED_IN } from '../shared/signed-in.ts';
import { readStored } from '../shared/storage.ts';
import { clearToasts, showToast } from '../shared/toast.tsx';
import { go, replaceAddress, route } from '../shell/route.ts';
import './playground.css';
import { App, Off } from './app.tsx';
import { closeDialog, showDialog } from './dialogs.ts';
import { BLANK, draft, replaceDraft } from './draft.ts';
import { handOverDraft, openHistory, takeLatest } from './draft-history.ts';
import { loadRestInTime } from './later-parts.ts';
import { isCharged, opened, refusal, templateParts } from './opened.ts';
import { firstPicture } from './render-call.ts';
import { loop, renderNow } from './render-loop.ts';
import { replaceKeepingDraft } from './replaced-draft.tsx';
import { openLink } from './share-link.ts';
import { keepNow, readStoredDraft, storeDrafts } from './stored-draft.ts';
import { beginVisit, endVisit, isOver, listen, watch } from './visit.ts';
import { WELCOME } from './welcome/welcome.ts';

/** How long the page waits for the drafts of earlier tabs. */
const MAX_OPENING_MS = 1_000;

// A page that comes back from memory no longer has the lock of its draft.
addEventListener('pageshow', ({ persisted }) => persisted && route.peek().area === 'editor' && location.reload());

/** Visits are opened and closed one after the other, because each has the same draft, loop and template to itself. */
let turn: Promise<void> = Promise.resolve();

export function Editor() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = place.current;
    if (!root) return undefined;
    turn = turn.then(() => open(root)).catch(tellFailure);
    return () => {
      const kept = keepNow();
      endVisit();
      turn = turn.then(() => close(root, kept)).catch(tellFailure);
    };
  }, []);
  return <div class="editor-root" ref={place} />;
}

function tellFailure(error: Error): void {
  showToast(`The editor cannot be opened: ${error.message}`);
}

async function open(root: HTMLElement): Promise<void> {
  beginVisit();
  const query = new URLSearchParams(location.search);
  const templateId = query.get('template');
  if (!(templateId ? await openStored(templateId, query, root) : await openDraft(query, root)) || isOver()) return;
  if (!isCharged.peek()) void renderNow();
  render(<App />, root);
  loadRestInTime();
  watch(() => {
    if (isCharged.value) loop.hold(); // such as a URL after a draft that was still to be rendered
  });
  let first = true;
  watch(() => {
    void draft.value;
    if (!first && !isCharged.peek()) loop.changed();
    first = false;
  });
}

/** `kept` resolves when the draft has been written, which this visit alone may do until then. */
async function close(root: HTMLElement, kept: Promise<void>): Promise<void> {
  await kept;
  endVisit();
  handOverDraft();
  clearToasts(); // their actions are about the draft
  closeDialog();
  loop.reset();
  render(null, root);
  batch(() => {
    opened.value = undefined;
    templateParts.value = undefined;
    refusal.value = '';
    firstPicture.value = undefined;
  });
}

async function openStored(templateId: string, query: URLSearchParams, root: HTMLElement): Promise<boolean> {
  document.getElementById('about')?.remove();
  const { openTemplate } = await import('./template/open-template.tsx');
  if (!(await openTemplate(templateId, root, query.get('request')))) return false;
  if (query.has('request')) replaceAddress(`/edit?template=${encodeURIComponent(templateId)}${location.hash}`); // a reload goes on with the draft
  storeDrafts();
  await leaveForLink();
  listen('hashchange', () => void leaveForLink());
  return true;
}

/** Returns false if guests render nothing here. */
async function openDraft(query: URLSearchParams, root: HTMLElement): Promise<boolean> {
  const off = isOff();
  await Promise.race([openHistory(), pause(MAX_OPENING_MS)]); // a browser may never answer
  replaceDraft(readStoredDraft() ?? (await takeLatest())?.draft ?? WELCOME);
  storeDrafts();
  if (query.has('new')) replaceKeepingDraft({ ...BLANK, mode: 'template' }, 'A new template');
  if (query.has('gallery')) showDialog('examples');
  if (query.size) replaceAddress(location.pathname + location.hash); // a reload goes on with the draft
  await takeLink();
  listen('hashchange', () => void takeLink());
  if (location.pathname === '/' || !(await off)) return true; // the service sends this page at / only if guests can render
  if (readStored('localStorage', SIGNED_IN)) {
    refusal.value = 'The playground is off. Save the draft as a template to render it.';
    return true;
  }
  render(<Off />, root);
  return false;
}

/** A link opens as a draft. Back leads to the template, whose changes are kept. */
async function leaveForLink(): Promise<void> {
  const { hash } = location;
  if (!hash.startsWith('#v')) return;
  await keepNow();
  replaceAddress(location.pathname + location.search);
  go(`/edit${hash}`);
}

/** Replaces the draft with that of a link. The fragment is then removed, so that a reload shows later changes. */
async function takeLink(): Promise<void> {
  const opened = await openLink(location.hash);
  if (!opened) return;
  replaceAddress(location.pathname + location.search);
  if ('error' in opened) {
    showToast(opened.error);
    return;
  }
  replaceKeepingDraft(opened.draft, 'A shared draft');
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Returns false if the answer is unclear, because the first render then shows what is wrong. */
async function isOff(): Promise<boolean> {
  try {
    const { enabled } = (await (await request('/v1/playground')).json()) as { enabled: boolean };
    return !enabled;
  } catch {
    return false;
  }
}
