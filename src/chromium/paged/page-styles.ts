/** Asks a document to take margin boxes and backgrounds off its pages, and to show them alone. */
import { ServiceError } from '../../errors.ts';
import { MAX_PAGE_CSS, type PageClass } from '../../in-page/contract/page-selectors.ts';
import { BOOLEAN, DONE } from '../devtools/ask.ts';
import type { PagedWorld } from './paged-world.ts';

export async function hidePageStyles(world: PagedWorld): Promise<void> {
  await world.ask('hidePageStyles', [], DONE);
}

/** Shows empty pages instead of the document, for good: the class of each. Throws `resource_limit`. */
export async function showPageStyles(world: PagedWorld, classes: PageClass[], pages: number[]): Promise<void> {
  if (await world.ask('showPageStyles', [classes, pages], BOOLEAN)) return;
  const detail = `the rules for pages have more than ${MAX_PAGE_CSS} characters for all kinds of pages`;
  throw new ServiceError('resource_limit', detail, { members: { limit: MAX_PAGE_CSS } });
}
