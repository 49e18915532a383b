/** Finds what the text of a loaded document lacks: characters without a glyph, and families that another font replaces. */

import { Type } from 'typebox';
import type { FontKnowledge } from '../../fonts/font-knowledge.ts';
import { findScript } from '../../fonts/unicode-scripts.ts';
import { MAX_FAMILIES, MAX_SEEN_CHARACTERS } from '../../in-page/contract/limits.ts';
import type { InspectedText, SeenText } from '../../in-page/contract/questions.ts';
import { ask, createIsolatedWorld } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import { answerOr, type Shape, shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';
import type { GlyphCandidates } from './glyph-candidates.ts';

export interface MissingGlyphs {
  script: string;
  /** The first ten distinct characters. */
  characters: string;
  /** How often characters of this script without a glyph occur in the document. */
  count: number;
}

export interface TextFindings {
  missingGlyphs: MissingGlyphs[];
  substituted: string[];
}

export const NO_FINDINGS: TextFindings = { missingGlyphs: [], substituted: [] };

const MAX_SHOWN = 10;
const MAX_SOUGHT = 2_000;

const SEEN_TEXT: Shape<SeenText> = shape(
  Type.Object({
    characters: Type.String({ maxLength: 2 * MAX_SEEN_CHARACTERS }),
    families: Type.Array(Type.String(), { maxItems: MAX_FAMILIES }),
  }),
);

const INSPECTED_TEXT: Shape<InspectedText> = shape(
  Type.Object({
    missing: Type.Array(Type.Tuple([Type.String(), Type.Integer({ minimum: 0 })])),
    covered: Type.Array(Type.String()),
    substituted: Type.Array(Type.String()),
    installed: Type.Array(Type.String()),
  }),
);

/** The candidates in an answer of the document, which may be anything. */
export function readSeenText(value: unknown): GlyphCandidates {
  const { characters, families } = SEEN_TEXT.read(value) ?? { characters: '', families: [] };
  const named = families.filter((family) => family.trim() !== '').map((family) => family.slice(0, 200));
  return { characters: new Set(characters), families: new Set(named) };
}

/** Evaluates nothing in the page if all candidates are known. */
export async function inspectDocument(
  session: Session,
  frameId: string,
  knowledge: FontKnowledge,
  interest: GlyphCandidates,
  step: Step,
): Promise<TextFindings> {
  const characters = knowledge.findUncovered(interest.characters).slice(0, MAX_SOUGHT);
  const families = knowledge.findNotInstalled(interest.families).slice(0, MAX_FAMILIES);
  if (!characters.length && !families.length) return NO_FINDINGS;
  const contextId = await step(createIsolatedWorld(session, frameId));
  const inspected = ask(session, 'inspectText', [characters, families], INSPECTED_TEXT, { contextId });
  const found = await step(answerOr<InspectedText | undefined>(inspected, undefined));
  if (!found) return NO_FINDINGS;
  knowledge.learn(found);
  return { missingGlyphs: groupByScript(found.missing), substituted: found.substituted };
}

function groupByScript(missing: InspectedText['missing']): MissingGlyphs[] {
  const scripts = new Map<string, MissingGlyphs>();
  for (const [character, count] of missing) {
    const script = findScript(character);
    const entry = scripts.get(script) ?? { script, characters: '', count: 0 };
    if ([...entry.characters].length < MAX_SHOWN) entry.characters += character;
    entry.count += count;
    scripts.set(script, entry);
  }
  return [...scripts.values()];
}
