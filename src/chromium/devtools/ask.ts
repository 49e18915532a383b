/** Asks the program in a page: a question with arguments in, an answer of the expected shape out. */
import { Type } from 'typebox';
import type { Questions } from '../../in-page/contract/questions.ts';
import type { Session } from './connection.ts';
import { type ExceptionDetails, interferes, type Question, type Shape, shape } from './evaluate.ts';
import { askExpression, QUESTIONS } from './in-page-program.ts';

export type Answer<K extends keyof Questions> = Awaited<ReturnType<Questions[K]>>;

/** The name of the isolated world in which questions are asked. */
const WORLD = 'platen';
/** The answer of a question that only changes the document. */
export const DONE = shape(Type.Null());
export const BOOLEAN = shape(Type.Boolean());

/** Where and how to ask. */
export interface AskOptions<T> extends Omit<Question, 'expression'> {
  /** Returns a value or throws an error if the program throws. */
  onThrow?(thrown: ExceptionDetails): T;
}

/** A shape that every answer to the question should have. */
export type Expected<K extends keyof Questions, T = Answer<K>> = [Answer<K>] extends [T] ? Shape<T> : never;

/** What hides the document of a page. */
export interface Cover {
  keptFor: ReadonlySet<keyof Questions>;
  remove(): Promise<unknown>;
  /** Hides the document again. Undefined if it stays shown. */
  putBack?(): Promise<unknown>;
}

const covers = new WeakMap<Session, Cover>();
const removedCovers = new WeakMap<Session, Cover>();

/** The cover will be removed before the first question for which it is not kept. */
export function setCover(session: Session, cover: Cover | undefined): void {
  removedCovers.delete(session);
  if (cover) covers.set(session, cover);
  else covers.delete(session);
}

async function uncover(session: Session): Promise<void> {
  const cover = covers.get(session);
  if (!cover) return;
  covers.delete(session);
  removedCovers.set(session, cover);
  await cover.remove();
}

/** Hides a document that was shown for a question. */
export async function coverAgain(session: Session): Promise<void> {
  const cover = removedCovers.get(session);
  if (!cover?.putBack) return;
  setCover(session, cover);
  await cover.putBack();
}

/**
 * Throws `document_interferes` if the program throws, unless `onThrow` says otherwise, or if the answer has another shape. It rejects with
 * a `DevToolsError` if there is no answer, which may be due to a navigation.
 */
export async function ask<K extends keyof Questions, T = Answer<K>>(
  session: Session,
  name: K,
  args: Parameters<Questions[K]>,
  expected: Expected<K, T>,
  { onThrow = () => interferes(), awaitPromise = true, ...world }: AskOptions<T> = {},
): Promise<T> {
  if (covers.get(session)?.keptFor.has(name) === false) await uncover(session);
  const send = () =>
    session.send('Runtime.evaluate', { ...world, awaitPromise, returnByValue: true, expression: askExpression(name, args) });
  let answer = await send();
  if (!answer.exceptionDetails && answer.result.type === 'undefined') {
    await install(session, world);
    answer = await send();
  }
  if (answer.exceptionDetails) return onThrow(answer.exceptionDetails);
  const { value } = answer.result as { value?: unknown };
  return expected.has(value) ? value : interferes();
}

/** The worlds of each page whose later windows have the program from the beginning. */
const installedWorlds = new WeakMap<Session, Set<string>>();

/** Evaluates the program, and lets Chromium do so in later windows of the page, while no render waits. */
async function install(session: Session, world: Pick<AskOptions<unknown>, 'contextId' | 'timeout'>): Promise<void> {
  const name = world.contextId === undefined ? '' : WORLD;
  const worlds = installedWorlds.get(session) ?? new Set();
  installedWorlds.set(session, worlds);
  if (!worlds.has(name)) {
    worlds.add(name);
    const script = { source: QUESTIONS, ...(name && { worldName: name }) };
    session.send('Page.addScriptToEvaluateOnNewDocument', script).catch(() => {}); // the loss of a page is reported elsewhere
  }
  await session.send('Runtime.evaluate', { ...world, expression: QUESTIONS });
}

/** Returns an isolated world, whose built-ins the document cannot change. It stays until the document is replaced. */
export async function createIsolatedWorld(session: Session, frameId: string): Promise<number> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD });
  return executionContextId;
}
