/** Asks a document to take margin boxes and backgrounds off its pages, to show them alone, and to give its pages names. */
import { Type } from 'typebox';
import { ServiceError } from '../../errors.ts';
import { MAX_PAGE_CSS, type PageClass } from '../../in-page/contract/page-selectors.ts';
import { BOOLEAN, DONE } from '../devtools/ask.ts';
import { shape } from '../devtools/evaluate.ts';
import type { PagedWorld } from './paged-world.ts';

/** The answer to `namePages`. */
const NAMING = shape(Type.Union([Type.Literal('changed'), Type.Literal('same'), Type.Literal('too long')]));

export async function hidePageStyles(world: PagedWorld): Promise<void> {
  await world.ask('hidePageStyles', [], DONE);
}

/** Shows empty pages instead of the document, for good: the class of each, and the height of its area. Throws `resource_limit`. */
export async function showPageStyles(
  world: PagedWorld,
  classes: PageClass[],
  pages: number[],
  heightsPx: number[],
): Promise<void> {
  const isShown = await world.ask('showPageStyles', [classes, pages, heightsPx], BOOLEAN, { awaitPromise: true });
  if (!isShown) throw tooLong();
}

/** Returns whether pages can have names. The next print tells whether its layout is as before. */
export async function preparePageNames(world: PagedWorld): Promise<boolean> {
  return world.ask('preparePageNames', [], BOOLEAN);
}

export async function removePageNames(world: PagedWorld): Promise<void> {
  await world.ask('removePageNames', [], DONE);
}

/** Gives the first pages the rules of their classes. Returns whether any is new. Throws `resource_limit`. */
export async function namePages(world: PagedWorld, classes: PageClass[], pages: number[]): Promise<boolean> {
  const naming = await world.ask('namePages', [classes, pages], NAMING);
  if (naming === 'too long') throw tooLong();
  return naming === 'changed';
}

function tooLong(): ServiceError {
  const detail = `the rules for pages have more than ${MAX_PAGE_CSS} characters for all kinds of pages`;
  return new ServiceError('resource_limit', detail, { members: { limit: MAX_PAGE_CSS } });
}
