/** All documents of the corpus, or those whose names fit the regular expression in PLATEN_TEST_CORPUS. */
import { APPS } from './documents/apps.ts';
import { CHARTS } from './documents/charts.ts';
import { MOTION } from './documents/motion.ts';
import { PAGES } from './documents/pages.ts';
import { WRITING } from './documents/writing.ts';
import type { CorpusDocument } from './page.ts';

const wanted = new RegExp(process.env.PLATEN_TEST_CORPUS ?? '', 'i');

/** What the service does wrong, by the name of the document. */
const SCROLLED = 'only a taller window shows it what is below: it looks at positions, not through an observer';
const SMOOTHED = 'takes a frame that comes after 500 ms for one after 33';
const KNOWN: Record<string, string> = {
  'D3 force layout': 'counts animation frames, of which there are too few',
  'Moving with CountUp': 'is printed a frame before its number is exact',
  'Moving with AOS': SCROLLED,
  'Moving with WOW.js': SCROLLED,
  'Moving with GSAP': SMOOTHED,
  'Moving with GSAP, a timeline': SMOOTHED,
};

export const ALL: CorpusDocument[] = [...CHARTS, ...WRITING, ...PAGES, ...APPS, ...MOTION].map((document) => {
  const known = KNOWN[document.name];
  return known ? { ...document, known } : document;
});
export const DOCUMENTS = ALL.filter(({ name }) => wanted.test(name));
