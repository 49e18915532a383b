/** Saves replies as files. */
import { onSignOut } from './session.ts';

const REVOKED_AFTER_MS = 60_000;

const urls = new Set<string>();
onSignOut(() => {
  for (const url of urls) revoke(url);
});

/** Downloads a file. Its URL is revoked later, when the browser has begun to read it. */
export function saveAs(blob: Blob, filename: string): void {
  const url = URL.createObjectURL(blob);
  urls.add(url);
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => revoke(url), REVOKED_AFTER_MS);
}

function revoke(url: string): void {
  URL.revokeObjectURL(url);
  urls.delete(url);
}
