/**
 * Reads the structure that a document states: its language, title, alternate texts, headings, links, tables and fields, in
 * document order. It is read before the print, in an isolated world, which scripts of the document cannot change. A document
 * without scripts is read in its main world, which exists already and is kept for the next document.
 */
import { Type } from 'typebox';
import type { Deadline } from '../../../deadline.ts';
import type { DocumentStructure } from '../../../tag-structure.ts';
import { type AskOptions, ask, createIsolatedWorld, DONE } from '../../devtools/ask.ts';
import type { Session } from '../../devtools/connection.ts';
import { isUnanswered, shape, unanswered } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';

const JSON_TEXT = shape(Type.String());
const UNREADABLE = 'the structure of the document could not be read';
const TOO_MUCH = 'the document has more structure than can be checked';
/**
 * The time-out for structure that is only `wanted`. A document that takes longer is printed with the tags that Chromium writes.
 */
const MAX_WANTED_MS = 5_000;
/** The share of the remaining time that reading may take if the structure is only `wanted`. */
const SHARE_OF_WANTED = 1 / 4;

type World = Pick<AskOptions<string>, 'contextId' | 'timeout'>;

interface Reader {
  step: Step;
  deadline: Deadline;
  runsScripts: boolean;
}

/**
 * Without `frameId`, the document must have no scripts. If the structure cannot be read, returns undefined if it is only
 * `wanted`; if it is `demanded`, throws `print_failed`, or `resource_limit` if there is too much of it.
 */
export async function readDocumentStructure(
  session: Session,
  frameId: string | undefined,
  { step, deadline, runsScripts }: Reader,
  need: 'wanted' | 'demanded',
): Promise<DocumentStructure | undefined> {
  const isDemanded = need === 'demanded';
  const timeout = Math.min(MAX_WANTED_MS, Math.ceil(deadline.remainingMs * SHARE_OF_WANTED));
  const readIn = (world: World) => readOrRestore(session, isDemanded, { ...world, ...(!isDemanded && { timeout }) }, step);
  const readApart = async (frame: string) => readIn({ contextId: await step(createIsolatedWorld(session, frame)) });
  try {
    if (frameId === undefined) return await readIn({});
    return await (runsScripts ? withoutScripts(session, step, () => readApart(frameId)) : readApart(frameId));
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    if (isDemanded) throw unanswered(error, 'conformance', UNREADABLE, TOO_MUCH);
    return undefined;
  }
}

/** Disables the document's scripts meanwhile, so that they cannot react to the attributes that are set and change the printed content. */
async function withoutScripts<T>(session: Session, step: Step, read: () => Promise<T>): Promise<T> {
  const disableScripts = (value: boolean) => step(session.send('Emulation.setScriptExecutionDisabled', { value }));
  await disableScripts(true);
  try {
    return await read();
  } finally {
    await disableScripts(false);
  }
}

/** Leaves no attributes behind if the structure cannot be read, such as when reading is terminated. */
async function readOrRestore(session: Session, tagsAllDrawings: boolean, world: World, step: Step): Promise<DocumentStructure> {
  const options = { ...world, awaitPromise: false };
  try {
    const text = await step(ask(session, 'readStructure', [tagsAllDrawings], JSON_TEXT, options));
    return JSON.parse(text) as DocumentStructure;
  } catch (error) {
    if (isUnanswered(error)) await step(ask(session, 'restoreAttributes', [], DONE, { ...options, onThrow: () => null }));
    throw error;
  }
}
