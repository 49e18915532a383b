/** Adds style sheets that are not in the tree of the document. */
import type { Changes } from './changes.ts';
import { read } from './nodes.ts';

/** The sheet comes after all others. Undoing the changes removes it. */
export function adoptStyles(text: string, changes: Changes): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  adopt([...read(document, 'adoptedStyleSheets'), sheet]);
  changes.add(() => adopt(read(document, 'adoptedStyleSheets').filter((each) => each !== sheet)));
}

function adopt(sheets: CSSStyleSheet[]): void {
  Reflect.set(Document.prototype, 'adoptedStyleSheets', sheets, document); // an element may have this name
}
