/** What the page says about itself: it is in its markup, and goes when a visitor has read it. */
import { readStored, store } from '../shared/storage.ts';

const CLOSED = 'platen.playground.about';

/** Removes it for those who have closed it, and lets others close it. */
export function showAbout(): void {
  const about = document.getElementById('about');
  if (!about) return;
  if (readStored('localStorage', CLOSED)) {
    about.remove();
    return;
  }
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'button small';
  close.textContent = 'Close';
  close.setAttribute('aria-label', 'Close what Platen is');
  close.addEventListener('click', () => {
    store('localStorage', CLOSED, '1');
    about.remove();
  });
  about.append(close);
}
