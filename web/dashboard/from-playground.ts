/** Takes what the playground has handed over as the text of a new template. */
import { takeHandedOver } from '../shared/handed-over.ts';
import { keepSample } from './sample-data.ts';
import type { Unsaved } from './template-draft.ts';

export function takeFromPlayground(): Unsaved | undefined {
  const handed = takeHandedOver();
  if (!handed) return undefined;
  const { data, ...draft } = handed;
  keepSample(null, { name: null, text: data });
  return { templateId: null, version: undefined, draft };
}
