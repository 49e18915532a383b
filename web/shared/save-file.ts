/** Saves files for the visitor. */

const REVOKED_AFTER_MS = 60_000;

const urls = new Set<string>();

/** Its URL is revoked later, when the browser has begun to read it. */
export function saveFile(file: Blob, filename: string): void {
  const url = URL.createObjectURL(file);
  urls.add(url);
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => revoke(url), REVOKED_AFTER_MS);
}

/** Revokes the URLs of all files that were saved. */
export function forgetFiles(): void {
  for (const url of urls) revoke(url);
}

function revoke(url: string): void {
  URL.revokeObjectURL(url);
  urls.delete(url);
}
