/** The bundle for windows into which documents are written, before any of their scripts. */
import { ask } from './ask.ts';
import { storeInMemory } from './window/memory-storage.ts';
import { takeRatioOfParent } from './window/pixel-ratio.ts';
import { prepareWindow } from './window/prepare-window.ts';
import { readOwnFiles } from './window/same-origin-requests.ts';

prepareWindow(ask, storeInMemory, takeRatioOfParent, readOwnFiles);
