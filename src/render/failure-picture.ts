/** Takes a picture of the page when its render fails, for owners who want to see why. The request log takes it from there. */
import type { Page } from '../chromium/page.ts';
import { hasCode } from '../errors.ts';
import { noteDetails } from '../work-log.ts';
import type { RenderOwner } from './render-owner.ts';

/** Returns the same work if the owner wants no pictures. */
export function withPicture<T>({ shareOf, picturesKeptMs }: RenderOwner, work: (page: Page) => Promise<T>): typeof work {
  if (!picturesKeptMs) return work;
  return (page) =>
    work(page).catch(async (error: unknown) => {
      const jpeg = hasCode(error, 'client_closed', 'shutting_down') ? undefined : await page.picture();
      noteDetails({ picture: jpeg && { jpeg, accountId: shareOf, keptMs: picturesKeptMs } });
      throw error;
    });
}
