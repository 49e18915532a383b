/** Generates the files of `docs/reference` from the tables of the code. The result does not depend on the machine. */
import { endpointsPage } from './endpoints.ts';
import { errorsPage } from './errors.ts';
import { gotenbergPage } from './gotenberg.ts';
import { metricsPage } from './metrics.ts';
import { readOpenApi } from './openapi.ts';
import { optionsPage } from './options.ts';
import { settingsPage } from './settings.ts';

export const REFERENCE = new URL('../../docs/reference/', import.meta.url).pathname;

export async function referenceFiles(): Promise<Map<string, string>> {
  return new Map([
    ['settings.md', settingsPage()],
    ['errors.md', errorsPage()],
    ['metrics.md', metricsPage()],
    ['options.md', optionsPage()],
    ['gotenberg.md', gotenbergPage()],
    ['endpoints.md', endpointsPage(await readOpenApi())],
  ]);
}
