/**
 * Begins elements with `break-before: right` and the like on a page of that side: where the side is wrong, an empty page comes before.
 * See docs/decisions/0102-page-rules.md.
 */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { placeBlankPages } from '../../chromium/paged/sided-breaks.ts';
import type { SidedBreak } from '../../in-page/contract/paged.ts';
import type { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { readPageView } from '../../pdf/paged/page-areas.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

/** Empty pages may move what follows in another way than by a page, such as content that depends on the side. */
const MAX_CHANGES = 3;

export class SidedBreaks implements PagedPart {
  readonly #document: LoadedDocument;
  readonly #breaks: readonly SidedBreak[];
  /** How often empty pages were changed since all sides were right. */
  #changes = 0;
  /** The numbers of breaks before which there is an empty page, unless that changed more. */
  readonly #added = new Set<number>();

  constructor(document: LoadedDocument, breaks: readonly SidedBreak[]) {
    this.#document = document;
    this.#breaks = breaks;
  }

  async settle({ file }: PagedPrint): Promise<boolean> {
    const wrong = this.#findWrong(file);
    this.#document.keepsSides = wrong?.length === 0;
    if (wrong?.length === 0) this.#changes = 0;
    if (!wrong?.length || this.#changes === MAX_CHANGES) return false;
    this.#changes++;
    for (const number of wrong) if (!this.#added.delete(number)) this.#added.add(number);
    return placeBlankPages(this.#document.paged, [...this.#added], this.#document.pagedStyles.hasBlankRules);
  }

  /** The indexes of the empty pages that were added. */
  findAdded(file: PrintedPages): ReadonlySet<number> {
    const before = [...this.#added].map((number) => (file.destinationOf(this.#breaks[number]?.at ?? '')?.index ?? 0) - 1);
    return new Set(before.filter((page) => page >= 0 && !readPageView(file, page)));
  }

  /**
   * The elements that need an empty page, or have one that they do not need any more. Each moves the later ones by a page. Undefined if
   * the PDF does not tell all pages.
   */
  #findWrong(file: PrintedPages): number[] | undefined {
    const wrong: number[] = [];
    for (const [number, { at, isRecto }] of this.#breaks.entries()) {
      const index = file.destinationOf(at)?.index;
      if (index === undefined) return undefined;
      if (index > 0 && ((index + wrong.length) % 2 === 0) !== isRecto) wrong.push(number);
    }
    return wrong;
  }
}
