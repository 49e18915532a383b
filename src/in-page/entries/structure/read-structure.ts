/**
 * Reads the structure that the document states: its language, title, alternate texts, headings, links, tables and fields, in document
 * order. It sets attributes with which Chromium tags drawings, which stay for the print.
 */
import type { DocumentStructure } from '../../../tag-structure.ts';
import { read, readName } from '../../dom/nodes.ts';
import type { Root } from '../../dom/roots.ts';
import { keepAttributes } from './attributes.ts';
import { tagDrawings } from './drawing-roles.ts';
import { readElement } from './elements.ts';
import { explicitLanguage, forceTag, readLanguage } from './languages.ts';
import { type ImageStructure, Reading } from './reading.ts';
import { readTables } from './tables.ts';

const MAX_TEXT = 8_000_000;
const MAX_TITLE = 2_000;

/**
 * Returns a `DocumentStructure` as JSON, which takes less time than to return the value. It may be terminated at any point: then ask
 * `restoreAttributes`. Drawings with text that would be lost are tagged only if it `tagsAllDrawings`.
 */
export function readStructure(tagsAllDrawings: boolean): string {
  const reading = new Reading(emptyStructure());
  const { structure, order } = reading;
  structure.text = visibleText(order.roots).slice(0, MAX_TEXT);
  tagDrawings(readElements(reading), order, tagsAllDrawings);
  readTables(reading); // after that, because cells with these drawings are not empty
  const answer = JSON.stringify(structure);
  keepAttributes();
  return answer;
}

function emptyStructure(): DocumentStructure {
  return {
    language: explicitLanguage(read(document, 'documentElement')),
    bodyLanguage: explicitLanguage(read(document, 'body')),
    title: (read(document, 'title') ?? '').slice(0, MAX_TITLE),
    text: '',
    ...{ invalidLanguages: [], images: [], headings: [], links: [], tables: [], fields: [], embedded: [], rasterized: [] },
  };
}

/** Returns the text of the document and of each shadow tree, which is not in that of its host. */
function visibleText([, ...shadows]: Root[]): string {
  const top = read(document, 'body') ?? read(document, 'documentElement');
  const tops = [top, ...shadows.flatMap((shadow) => [...shadow.children])];
  // `innerText` tells which white space is shown, and separates blocks.
  return tops.map((each) => read(each as HTMLElement, 'innerText') ?? read(each, 'textContent')).join('\n');
}

function readElements(reading: Reading): Array<[element: Element, image: ImageStructure]> {
  const documentElement = read(document, 'documentElement');
  const images: Array<[Element, ImageStructure]> = [];
  for (const element of reading.order.elements) {
    if (element !== documentElement) readLanguage(element, reading);
    if (readName(element) === 'caption') forceTag(element);
    const image = readElement(element, reading);
    if (image) images.push([element, image]);
  }
  return images;
}
