/** Saves bytes as a file of the visitor. */

const REVOKED_AFTER_MS = 60_000;

export function saveFile(bytes: Uint8Array<ArrayBuffer>, filename: string, type = 'application/octet-stream'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKED_AFTER_MS); // the browser reads it after the click
}
