/** Takes what the playground has handed over as the text of a new template. */
import { takeHandedOver } from '../shared/handed-over.ts';
import { keepSample } from './sample-data.ts';
import { beginNew, type Unsaved } from './template-draft.ts';

export async function takeFromPlayground(): Promise<Unsaved | undefined> {
  const handed = takeHandedOver();
  if (!handed) return undefined;
  await beginNew();
  const { data, ...draft } = handed;
  keepSample(null, { name: null, text: data });
  return { templateId: null, version: undefined, draft };
}
