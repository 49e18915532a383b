/** Hyphenates the text of a document for which its styles ask: asks for its words, and inserts soft hyphens into them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { MAX_HYPHENATED_CHARACTERS, MAX_LANGUAGE_CHARACTERS, MAX_LANGUAGES } from '../../../in-page/contract/limits.ts';
import type { LanguageWords } from '../../../in-page/contract/questions.ts';
import { ask, BOOLEAN, createIsolatedWorld } from '../../devtools/ask.ts';
import type { Session } from '../../devtools/connection.ts';
import { shape } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';
import { findHyphenator } from './patterns.ts';

/** Words that are hyphenated at a time, which takes about 10 ms. */
const WORDS_AT_ONCE = 2_000;

const WORDS = shape(
  Type.Array(
    Type.Tuple([
      Type.String({ maxLength: MAX_LANGUAGE_CHARACTERS }),
      Type.String({ maxLength: 2 * MAX_HYPHENATED_CHARACTERS }), // with spaces
    ]),
    { maxItems: MAX_LANGUAGES },
  ),
);

/** Returns whether the text has soft hyphens. */
export async function hyphenateDocument(session: Session, frameId: string, step: Step): Promise<boolean> {
  const contextId = await step(createIsolatedWorld(session, frameId));
  const words = await step(ask(session, 'listHyphenatedWords', [], WORDS, { contextId }));
  const hyphenated = (await step(Promise.all(words.map(hyphenateWords)))).filter(([, changed]) => changed);
  return step(ask(session, 'insertSoftHyphens', [hyphenated], BOOLEAN, { contextId }));
}

/** Returns only the words that got a soft hyphen. */
async function hyphenateWords([language, text]: LanguageWords): Promise<LanguageWords> {
  const hyphenate = await findHyphenator(language);
  const changed: string[] = [];
  if (!hyphenate) return [language, ''];
  for (const [index, word] of text.split(' ').entries()) {
    if (index % WORDS_AT_ONCE === WORDS_AT_ONCE - 1) await nextTurn();
    const hyphenated = hyphenate(word);
    if (hyphenated !== word) changed.push(hyphenated);
  }
  return [language, changed.join(' ')];
}
