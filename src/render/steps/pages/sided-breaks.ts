/**
 * Begins elements with `break-before: right` and the like on a page of that side: a print tells their pages, and where the side is
 * wrong, an empty page comes before. See docs/decisions/0102-page-rules.md.
 */
import { randomBytes } from 'node:crypto';
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import type { MarkedSide } from '../../../in-page/contract/questions.ts';
import { PrintedPages } from '../../../pdf/edit/printed-pages.ts';
import type { Print } from '../print.ts';

/** Empty pages may move what follows in another way than by a page, such as content that depends on the side. */
const MAX_PRINTS = 3;

export async function breakToSides(document: LoadedDocument, print: Print): Promise<Print> {
  if (!document.hasSidedBreaks || print.settings.singlePage) return print;
  const marks = await document.sidedBreaks.mark(`platen-${randomBytes(8).toString('hex')}-`);
  if (!marks.length) return print;
  const whole = { ...print.settings, pageRanges: '' };
  const findWrong = async () => findWrongSides(marks, Buffer.concat((await document.print(whole)).chunks));
  let wrong = await findWrong();
  let prints = 1;
  for (; wrong?.length && prints < MAX_PRINTS; prints++) {
    if (!(await document.sidedBreaks.addBlankPages(wrong))) break;
    wrong = await findWrong();
  }
  await document.sidedBreaks.unmark();
  document.keepsSides = wrong?.length === 0;
  return document.keepsSides && prints === 1 ? print : { ...print, ...(await document.print(print.settings)) };
}

/**
 * The numbers of marks that need an empty page before them. Each of these moves the later ones by a page. Undefined if the PDF does not
 * tell the page of each.
 */
function findWrongSides(marks: MarkedSide[], pdf: Buffer): number[] | undefined {
  const indexes = new Map(new PrintedPages(pdf).destinations().map(({ name, index }) => [name, index]));
  const wrong: number[] = [];
  for (const [number, { name, isRecto }] of marks.entries()) {
    const index = indexes.get(name);
    if (index === undefined) return undefined;
    if (index > 0 && ((index + wrong.length) % 2 === 0) !== isRecto) wrong.push(number);
  }
  return wrong;
}
