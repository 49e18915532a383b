/** What the service passes to the program when it installs it in a window. */
export interface InPageSettings {
  /** The name of the property under which a window keeps the program. No element is called like it by chance. */
  key: string;
  /** Is required to ask, and to list closed shadow roots, because a document with scripts can find the property. */
  secret: string;
  /** The `devicePixelRatio` of a window that is printed. Undefined if it keeps its own. */
  pixelRatio?: number;
}
