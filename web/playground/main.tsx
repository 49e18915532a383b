/** Starts the playground: a document on the left, and its PDF on the right, rendered by the service that serves this page. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import '../shared/controls.css';
import { request } from '../shared/api.ts';
import { takeHandedOver } from '../shared/handed-over.ts';
import { showToast } from '../shared/toast.tsx';
import './playground.css';
import { showAbout } from './about.ts';
import { App, Off } from './app.tsx';
import { type Draft, draft, replaceDraft } from './draft.ts';
import { openHistory, takeLatest } from './draft-history.ts';
import { loop, renderNow } from './render-loop.ts';
import { replaceKeepingDraft } from './replaced-draft.tsx';
import { openLink } from './share-link.ts';
import { readStoredDraft, storeDrafts } from './stored-draft.ts';
import { WELCOME } from './welcome/welcome.ts';

/** How long the page waits for the drafts of earlier tabs. */
const MAX_OPENING_MS = 1_000;

showAbout();
const place = document.getElementById('app');
if (place) void start(place);

async function start(root: HTMLElement): Promise<void> {
  await Promise.race([openHistory(), pause(MAX_OPENING_MS)]); // a browser may never answer
  replaceDraft(readStoredDraft() ?? (await takeLatest()) ?? WELCOME);
  storeDrafts();
  takeTemplate();
  await takeLink();
  addEventListener('hashchange', () => void takeLink());
  if (await isOff()) {
    render(<Off />, root);
    return;
  }
  render(<App />, root);
  void renderNow();
  let first = true;
  effect(() => {
    void draft.value;
    if (!first) loop.changed();
    first = false;
  });
}

/** Replaces the draft with a template that the dashboard has handed over. */
function takeTemplate(): void {
  const template = takeHandedOver();
  if (!template) return;
  const { name, engine, html, data } = template;
  const opened: Draft = { mode: 'template', html: '', template: html, engine, data, options: {} };
  replaceKeepingDraft(opened, `The template “${name}”`);
}

/** Replaces the draft with that of a link. The fragment is then removed, so that a reload shows later changes. */
async function takeLink(): Promise<void> {
  const opened = await openLink(location.hash);
  if (!opened) return;
  window.history.replaceState(null, '', location.pathname + location.search);
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
