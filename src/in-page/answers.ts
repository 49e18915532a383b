/** The functions that answer the questions. */

import type { Questions } from './contract/questions.ts';
import { hideInAllWindows, removeCover } from './dom/cover.ts';
import { addElement } from './entries/add-element.ts';
import { finishAnimations } from './entries/animations.ts';
import { awaitAssets, haveAssetsLoaded } from './entries/assets.ts';
import { boxOf, isInState, isSelector } from './entries/elements.ts';
import { prepareFields, restoreFields } from './entries/fields/prepare-fields.ts';
import { appendCjkFonts } from './entries/glyphs/append-cjk-fonts.ts';
import { findDrawnScripts } from './entries/glyphs/glyph-brush.ts';
import { inspectText } from './entries/glyphs/inspect-text.ts';
import { insertSoftHyphens, listHyphenatedWords } from './entries/hyphenate.ts';
import { findEffects } from './entries/inspect/css-effects.ts';
import { findUnhyphenated } from './entries/inspect/hyphenation.ts';
import { findLostContent, mayHaveLost } from './entries/inspect/lost-content.ts';
import { findMissingParts } from './entries/inspect/missing-parts.ts';
import { extendStyleSheets, readStyleSheets } from './entries/inspect/style-sheets.ts';
import { readMetadata } from './entries/metadata.ts';
import { addRule, growPages } from './entries/page-rules.ts';
import { findFixedOutside, takeFixedOutside } from './entries/paged/fixed-in-margins.ts';
import {
  distributeFootnotes,
  measureFootnotes,
  numberFootnotes,
  reserveFootnotes,
  spreadCalls,
  takeFootnotes,
} from './entries/paged/footnotes.ts';
import { moveLastBlock, prepareLastBlock, restoreLastBlock } from './entries/paged/layout/last-block.ts';
import { placeLayoutLinks, removeLayoutLinks } from './entries/paged/layout/layout-links.ts';
import { findPageEnds, findPageRisks, removeRiskLinks } from './entries/paged/layout/page-risks.ts';
import { showOverlay } from './entries/paged/overlay.ts';
import { findMissingInHeaders, measureHeaders, prepareHeaders, setHeaderMargins } from './entries/paged/page-headers.ts';
import { namePages, preparePageNames, removePageNames } from './entries/paged/page-names.ts';
import { hidePageStyles, showPageStyles } from './entries/paged/page-styles.ts';
import { readPagedContent, setMarginRules, showReferences } from './entries/paged/paged-content.ts';
import { placeBlankPages, readSidedBreaks } from './entries/paged/sided-breaks.ts';
import { findTables } from './entries/paged/tables/find-tables.ts';
import { changeTables, hideTableRows, markAllRows, prepareTables } from './entries/paged/tables/prepare-tables.ts';
import { haveTableRowsChanged, watchTableRows } from './entries/paged/tables/watch-rows.ts';
import { findClippedContent } from './entries/print/clipping/clipped-content.ts';
import { isVertical } from './entries/print/clipping/writing-mode.ts';
import { combineDocuments } from './entries/print/combining/combine-documents.ts';
import { fixHeights, measureHeight, noteHeights } from './entries/print/content-height.ts';
import { hideDocument, showDocument } from './entries/print/hide-document.ts';
import { loadPictures } from './entries/print/load-picture.ts';
import { findUnrepeatedRows } from './entries/print/repeated-rows.ts';
import { keepShortParagraphs } from './entries/print/short-paragraphs.ts';
import { releaseSticky } from './entries/print/sticky.ts';
import { fillTemplate } from './entries/print/template-files.ts';
import { findFailedFonts, holdTemplateFonts } from './entries/print/template-fonts.ts';
import { measureTemplates } from './entries/print/template-heights.ts';
import { findWidest, keepWidth } from './entries/print/widest-element.ts';
import {
  beginWindows,
  endWindows,
  findColumnWidths,
  putBackContents,
  showWindow,
} from './entries/print/windows/print-windows.ts';
import { readMarker } from './entries/replacement.ts';
import { restoreAttributes } from './entries/structure/attributes.ts';
import { readStructure } from './entries/structure/read-structure.ts';
import { waitUntilFinished } from './entries/wait-until-finished.ts';
import { setPixelRatio } from './window/pixel-ratio.ts';

export const answers: Questions = {
  placeBlankPages,
  addElement,
  addRule,
  appendCjkFonts,
  awaitAssets,
  beginWindows,
  boxOf,
  changeTables,
  combineDocuments,
  endWindows,
  fillTemplate,
  findClippedContent,
  findColumnWidths,
  findDrawnScripts,
  findFailedFonts,
  findPageEnds,
  findPageRisks,
  findUnrepeatedRows,
  findWidest,
  releaseSticky,
  keepShortParagraphs,
  extendStyleSheets,
  loadPictures,
  findEffects,
  findLostContent,
  mayHaveLost,
  findMissingInHeaders,
  findMissingParts,
  findTables,
  findUnhyphenated,
  finishAnimations: (declaresShadows) => finishAnimations(document, declaresShadows),
  fixHeights,
  growPages,
  haveAssetsLoaded: (declaresShadows) => haveAssetsLoaded(document, declaresShadows),
  holdTemplateFonts,
  insertSoftHyphens,
  inspectText,
  isInState,
  isSelector,
  isVertical,
  keepWidth,
  listHyphenatedWords,
  measureHeaders,
  measureHeight,
  measureTemplates,
  moveLastBlock,
  noteHeights,
  placeLayoutLinks,
  putBackContents,
  readMarker,
  readPagedContent,
  setMarginRules,
  hideDocument,
  hideInAllWindows,
  showDocument,
  takeFootnotes,
  distributeFootnotes,
  measureFootnotes,
  numberFootnotes,
  reserveFootnotes,
  spreadCalls,
  showReferences,
  readMetadata,
  readStyleSheets,
  prepareFields,
  prepareHeaders,
  prepareLastBlock,
  restoreLastBlock,
  markAllRows,
  prepareTables,
  watchTableRows,
  haveTableRowsChanged,
  readSidedBreaks,
  readStructure,
  removeLayoutLinks,
  removeRiskLinks,
  restoreAttributes,
  restoreFields,
  findFixedOutside,
  takeFixedOutside,
  showOverlay,
  hidePageStyles,
  hideTableRows,
  showPageStyles,
  preparePageNames,
  removePageNames,
  namePages,
  showWindow,
  removeCover,
  setHeaderMargins,
  setPixelRatio(ratio) {
    setPixelRatio(ratio);
    return null;
  },
  waitUntilFinished,
};
