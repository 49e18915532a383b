/** The playground: a document on the left, its PDF on the right, rendered by the service this page comes from. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import '../shared/controls.css';
import { request } from '../shared/api.ts';
import { tell } from '../shared/toast.tsx';
import './playground.css';
import { App, Off } from './app.tsx';
import { draft, replaceDraft } from './draft.ts';
import { EXAMPLES } from './examples/examples.ts';
import { keepDrafts, keptDraft } from './kept-draft.ts';
import { draftChanged, renderNow } from './render-loop.ts';
import { openLink } from './share-link.ts';

const place = document.getElementById('app');
if (place) void start(place);

async function start(root: HTMLElement): Promise<void> {
  replaceDraft(keptDraft() ?? EXAMPLES[0].draft);
  await takeLink();
  addEventListener('hashchange', () => void takeLink());
  keepDrafts();
  if (await isOff()) {
    render(<Off />, root);
    return;
  }
  render(<App />, root);
  void renderNow();
  let first = true;
  effect(() => {
    void draft.value;
    if (!first) draftChanged();
    first = false;
  });
}

/** What a link holds takes the place of what was there; the address is then as without it, so that a reload shows what came later. */
async function takeLink(): Promise<void> {
  const opened = await openLink(location.hash);
  if (!opened) return;
  window.history.replaceState(null, '', location.pathname + location.search);
  if ('fault' in opened) {
    tell(opened.fault);
    return;
  }
  replaceDraft(opened.draft);
}

/** Where nothing is told, the page tries: the first render says what is wrong. */
async function isOff(): Promise<boolean> {
  try {
    const { enabled } = (await (await request('/v1/playground')).json()) as { enabled: boolean };
    return !enabled;
  } catch {
    return false;
  }
}
