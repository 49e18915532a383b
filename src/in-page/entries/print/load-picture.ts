/** Loads pictures of rules for pages, of which Chromium begins to load most only while it prints. */

/** Those of the last call, which stay in the memory of the browser. */
let held: HTMLImageElement[] = [];

/** Begins to load a picture, which stays in the memory of the browser for as long as the result is held. */
export function loadPicture(url: string): HTMLImageElement {
  const picture = new Image();
  picture.src = url;
  return picture;
}

/** Ends when all are loaded or have failed. */
export async function loadPictures(urls: string[]): Promise<null> {
  held = urls.map(loadPicture);
  await Promise.allSettled(held.map((picture) => picture.decode()));
  return null;
}
