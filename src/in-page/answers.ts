/** The functions that answer the questions. */

import type { Questions } from './contract/questions.ts';
import { addElement } from './entries/add-element.ts';
import { finishAnimations } from './entries/animations.ts';
import { awaitAssets, haveAssetsLoaded } from './entries/assets.ts';
import { boxOf, isInState, isSelector } from './entries/elements.ts';
import { findEffects } from './entries/inspect/css-effects.ts';
import { findUnhyphenated } from './entries/inspect/hyphenation.ts';
import { findLostContent } from './entries/inspect/lost-content.ts';
import { findMissingParts } from './entries/inspect/missing-parts.ts';
import { extendStyleSheets, readStyleSheets } from './entries/inspect/style-sheets.ts';
import { readMetadata } from './entries/metadata.ts';
import { addRule } from './entries/page-rules.ts';
import { waitUntilFinished } from './entries/wait-until-finished.ts';
import { setPixelRatio } from './window/pixel-ratio.ts';

export const answers: Questions = {
  addElement,
  addRule,
  awaitAssets,
  boxOf,
  extendStyleSheets,
  findEffects,
  findLostContent,
  findMissingParts,
  findUnhyphenated,
  finishAnimations: (declaresShadows) => finishAnimations(document, declaresShadows),
  haveAssetsLoaded: (declaresShadows) => haveAssetsLoaded(document, declaresShadows),
  isInState,
  isSelector,
  readMetadata,
  readStyleSheets,
  setPixelRatio(ratio) {
    setPixelRatio(ratio);
    return null;
  },
  waitUntilFinished,
};
