/** The functions that answer the questions. */

import type { Questions } from './contract/questions.ts';
import { addElement } from './entries/add-element.ts';
import { finishAnimations } from './entries/animations.ts';
import { awaitAssets, haveAssetsLoaded } from './entries/assets.ts';
import { boxOf, isInState, isSelector } from './entries/elements.ts';
import { prepareFields, restoreFields } from './entries/fields/prepare-fields.ts';
import { readMetadata } from './entries/metadata.ts';
import { addRule } from './entries/page-rules.ts';
import { restoreAttributes } from './entries/structure/attributes.ts';
import { readStructure } from './entries/structure/read-structure.ts';
import { waitUntilFinished } from './entries/wait-until-finished.ts';
import { setPixelRatio } from './window/pixel-ratio.ts';

export const answers: Questions = {
  addElement,
  addRule,
  awaitAssets,
  boxOf,
  finishAnimations: (declaresShadows) => finishAnimations(document, declaresShadows),
  haveAssetsLoaded: (declaresShadows) => haveAssetsLoaded(document, declaresShadows),
  isInState,
  isSelector,
  prepareFields,
  readMetadata,
  readStructure,
  restoreAttributes,
  restoreFields,
  setPixelRatio(ratio) {
    setPixelRatio(ratio);
    return null;
  },
  waitUntilFinished,
};
