/** Gives the bookmarks the text of their headings: Chromium leaves out the spaces at line ends and at `<br>`. */
import type { PrintedStructure } from '../../tag-structure.ts';
import { foldText } from '../content/document-text.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { textString } from '../objects/syntax.ts';
import { matchInOrder, matchUnique } from './match-by-key.ts';
import { outlineItems } from './outline-items.ts';

export function nameBookmarks(editable: EditablePdf, { headings, isWhole }: PrintedStructure): void {
  const headingWith = (isWhole ? matchInOrder : matchUnique)(headings, ({ text }) => sortCharacters(text));
  for (const { ref, item } of outlineItems(editable)) {
    const title = editable.text(item, 'Title');
    const text = headingWith(sortCharacters(title))?.text;
    if (text) editable.update(ref, { Title: textString(copyCase(title, text)) });
  }
}

/** The characters of a text in a fixed order, because Chromium writes the words of some scripts in the order of their positions. */
function sortCharacters(text: string): string {
  return [...foldText(text).replaceAll(' ', '')].sort().join('');
}

/** A text with the letters of a title, whose case `text-transform` may have changed. If they are in another order, the text as it is. */
function copyCase(title: string, text: string): string {
  const letters = [...title.replace(/[\s\u00ad]+/g, '')];
  let at = 0;
  const words = text.split(' ').map((word) => {
    const from = at;
    for (let missing = word.toUpperCase().length; missing > 0 && at < letters.length; at++)
      missing -= (letters[at] ?? '').toUpperCase().length;
    return letters.slice(from, at).join('');
  });
  return words.join(' ').toUpperCase() === text.toUpperCase() ? words.join(' ') : text;
}
