/** All documents of the corpus, or those whose names fit the regular expression in PLATEN_TEST_CORPUS. */
import { APPS } from './documents/apps.ts';
import { CHARTS } from './documents/charts.ts';
import { MOTION } from './documents/motion.ts';
import { PAGES } from './documents/pages.ts';
import { WRITING } from './documents/writing.ts';
import type { CorpusDocument } from './page.ts';

const wanted = new RegExp(process.env.PLATEN_TEST_CORPUS ?? '', 'i');

/** Known faults of the service, with their cause, by the name of the document. */
const KNOWN: Record<string, string> = {};

export const ALL: CorpusDocument[] = [...CHARTS, ...WRITING, ...PAGES, ...APPS, ...MOTION].map((document) => {
  const known = KNOWN[document.name];
  return known ? { ...document, known } : document;
});
export const DOCUMENTS = ALL.filter(({ name }) => wanted.test(name));
