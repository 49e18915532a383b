/**
 * Validates the metadata that callers attach to stored objects. Not to be confused with `options.metadata`, the properties of a
 * PDF.
 */
import { Type } from 'typebox';
import type { Metadata } from '../../../documents/documents.ts';
import { textErrors } from '../../../validate.ts';
import type { ValidationErrors } from './validation-errors.ts';

export type { Metadata };

export const MAX_METADATA = 20;
const MAX_METADATA_NAME = 40;
const MAX_METADATA_VALUE = 500;
/** Brackets are reserved, because query strings have names in brackets. */
const UNUSABLE_IN_NAME = /[\p{Cc}[\]]/u;

export const METADATA_MEANING = `Names and values of your own, by which lists can be filtered. At most ${MAX_METADATA}; names have up to ${MAX_METADATA_NAME} characters, values ${MAX_METADATA_VALUE}.`;

export const MetadataSchema = Type.Record(
  Type.String(),
  Type.String({ expected: `a string of at most ${MAX_METADATA_VALUE} characters` }),
  {
    $id: 'Metadata',
    additionalProperties: false, // the pattern of names knows no line breaks
    expected: 'an object of strings',
    description: METADATA_MEANING,
    examples: [{ order: '1234' }],
  },
);

export function parseMetadata(given: Metadata = {}, errors: ValidationErrors): Metadata {
  const members = Object.entries(given);
  if (members.length > MAX_METADATA)
    errors.add('metadata', `must have at most ${MAX_METADATA} members, and has ${members.length}`);
  else for (const [name, value] of members) checkMember(name, value, errors);
  return given;
}

function checkMember(name: string, value: string, errors: ValidationErrors): void {
  const path = `metadata.${name.slice(0, MAX_METADATA_NAME)}`;
  if (!isMetadataName(name))
    errors.add(path, `must have a name of 1 to ${MAX_METADATA_NAME} characters, without brackets and control characters`);
  if (countCharacters(value) > MAX_METADATA_VALUE)
    errors.add(path, `must have at most ${MAX_METADATA_VALUE} characters, and has ${countCharacters(value)}`);
  errors.addAll(textErrors(path, value));
}

export function isMetadataName(name: string): boolean {
  return name !== '' && countCharacters(name) <= MAX_METADATA_NAME && name.isWellFormed() && !UNUSABLE_IN_NAME.test(name);
}

/** The length in Unicode code points. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}
