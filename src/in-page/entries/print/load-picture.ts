/** Begins to load a picture, which stays in the memory of the browser for as long as the result is held. */
export function loadPicture(url: string): HTMLImageElement {
  const picture = new Image();
  picture.src = url;
  return picture;
}
