/** Waits until the fonts, images and frames of a loaded document have loaded, and reads what a print needs to know of it. */

import type { ActiveOptions, AssetOptions, LoadedParts, PagedMentions } from '../contract/questions.ts';
import { read } from '../dom/nodes.ts';
import { documentIn, framedDocuments, selectIn, withShadows } from '../dom/roots.ts';
import { recordedErrors } from '../window/document-errors.ts';
import { finishAnimations } from './animations.ts';
import { mayLoseContent } from './inspect/lost-content.ts';
import { readMetadata } from './metadata.ts';
import { readPageSizes } from './page-rules.ts';
import { hasLastBlock } from './paged/layout/last-block.ts';
import { mayHavePageRisks } from './paged/layout/page-risks.ts';
import { hasPagedTables } from './paged/tables/find-tables.ts';
import { seeText } from './seen-text.ts';

const MANY_ELEMENTS = 1_000;
/** Pages with a size of their own may be lower than the paper. */
const LOW_PAGE = 1 / 4;
const LAZY_FRAMES = 'iframe[loading=lazy i][src^=http i], iframe[loading=lazy i][srcdoc]';

export async function awaitAssets(options: AssetOptions): Promise<LoadedParts> {
  const { waits, finishesAnimations, readsMetadata, declaresShadows, active } = options;
  if (waits) await waitForAssets(document, declaresShadows);
  if (finishesAnimations) finishAnimations(document, declaresShadows);
  const sizes = active ? readPageSizes(active.rule) : [];
  return {
    errors: recordedErrors(),
    seen: active && seeText(declaresShadows),
    sizes,
    metadata: readsMetadata ? readMetadata() : null,
    mayLoseContent: mayLoseContent(),
    heightPx: active ? measureLongDocument() : 0,
    mentions: active && readMentions(active, sizes.length > 0),
  };
}

/** Looks at once for what would otherwise take a question each. Null if the document breaks the functions used here. */
function readMentions({ pageHeightPx }: ActiveOptions, hasPageRules: boolean): PagedMentions | null {
  if (!pageHeightPx) return { tables: false, lastBlock: false, risks: false };
  try {
    const risks = mayHavePageRisks(pageHeightPx) || (hasPageRules && mayHavePageRisks(pageHeightPx * LOW_PAGE));
    return { tables: hasPagedTables(), lastBlock: hasLastBlock(), risks };
  } catch {
    return null;
  }
}

/** The height of a document with many elements. */
function measureLongDocument(): number {
  const isLong = document.getElementsByTagName('*').length >= MANY_ELEMENTS;
  return isLong ? (read(document, 'documentElement')?.scrollHeight ?? 0) : 0;
}

/** Poll it where no listener is called, because scripts are disabled. */
export function haveAssetsLoaded(page: Document, looks: boolean): boolean {
  try {
    for (const image of findImages(page, looks)) {
      image.loading = 'eager'; // nothing scrolls on paper, so that a lazy image would never load
      if (!image.complete) return false;
    }
    layOut(page);
    return (
      read(page, 'fonts').status === 'loaded' && framedDocuments(page, looks).every((inner) => haveAssetsLoaded(inner, looks))
    );
  } catch {
    return true; // a document that breaks the functions used here is not waited for
  }
}

/** It uses only `await`, because a document may replace the methods of promises. */
async function waitForAssets(page: Document, looks: boolean): Promise<void> {
  try {
    for (const loaded of loadFrames(page, looks)) await loaded;
    const inner = framedDocuments(page, looks).map((each) => waitForAssets(each, looks));
    for (const wait of [...loadImages(page, looks), loadFonts(page), ...inner]) await wait;
  } catch {
    // as above
  }
}

/** Lazy frames load when they are scrolled to, and are empty until then. */
function loadFrames(page: Document, looks: boolean): Promise<void>[] {
  const lazy = withShadows(page, looks).flatMap((root) => [...selectIn<HTMLIFrameElement>(root, LAZY_FRAMES)]);
  const waiting = lazy.filter((frame) => documentIn(frame)?.documentURI === 'about:blank');
  return waiting.map((frame) => {
    const loaded = new Promise<void>((resolve) => frame.addEventListener('load', () => resolve()));
    frame.loading = 'eager';
    return loaded;
  });
}

function loadImages(page: Document, looks: boolean): Promise<void>[] {
  return [...findImages(page, looks)].flatMap((image) => {
    image.loading = 'eager'; // as above
    if (image.complete) return [];
    return new Promise((resolve) => {
      for (const end of ['load', 'error']) image.addEventListener(end, () => resolve());
    });
  });
}

/** Images of the document, and those in shadow roots. */
function* findImages(page: Document, looks: boolean): Generator<HTMLImageElement> {
  yield* read(page, 'images');
  for (const root of withShadows(page, looks)) if (root !== page) yield* selectIn<HTMLImageElement>(root, 'img');
}

function loadFonts(page: Document): Promise<unknown> | undefined {
  const fonts = read(page, 'fonts');
  if (!fonts.size) return undefined;
  layOut(page);
  return fonts.status === 'loaded' ? undefined : fonts.ready;
}

/** Loads the fonts that the page uses. */
function layOut(page: Document): void {
  void read(page, 'documentElement')?.offsetHeight;
}
