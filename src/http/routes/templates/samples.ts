/** The sample data of a template in requests and replies. */
import { Type } from 'typebox';
import { AnyObject } from '../../../render/request/schemas/options-schema.ts';
import { isMetadataName } from '../../../render/request/values/metadata.ts';
import type { ValidationErrors } from '../../../render/request/values/validation-errors.ts';
import { MAX_SAMPLES, MAX_SAMPLES_BYTES, type SampleChanges } from '../../../templates/samples.ts';

const EXPECTED = 'an object of names and data, each an object';
const LIMITS = `At most ${MAX_SAMPLES} with ${MAX_SAMPLES_BYTES} bytes of JSON together.`;
const EXAMPLE = { short: { customer: { name: 'Ada' } } };

export const SamplesSchema = Type.Record(Type.String(), AnyObject, {
  $id: 'TemplateSamples',
  expected: EXPECTED,
  description: `Data to try the template with, by name. ${LIMITS}`,
  examples: [EXAMPLE],
});

export const SamplePatchSchema = Type.Record(
  Type.String(),
  { ...Type.Union([AnyObject, Type.Null()]), expected: 'an object or null' },
  {
    $id: 'TemplateSamplesPatch',
    expected: `${EXPECTED} or null`,
    description: `Adds or replaces these samples, and removes those that are null. Makes no new version. ${LIMITS}`,
    examples: [{ ...EXAMPLE, old: null }],
  },
);

/** Undefined if none were sent. */
export function parseSamples(given: Record<string, unknown> | undefined, errors: ValidationErrors): SampleChanges | undefined {
  if (!given) return undefined;
  const members = Object.entries(given);
  if (members.length > 2 * MAX_SAMPLES) errors.add('samples', `must have at most ${MAX_SAMPLES} members`);
  else for (const [name] of members) if (!isMetadataName(name)) errors.add(`samples.${name}`, NAME);
  return new Map(members.map(([name, data]) => [name, data === null ? null : JSON.stringify(data)]));
}

const NAME = 'must have a name of 1 to 40 characters, without brackets and control characters';
