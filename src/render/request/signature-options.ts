/** Parses the option `signature` to a plan: the certificate, the texts and the visible field. */
import { textErrors } from '../../validate.ts';
import { LENGTH } from './schemas/length-schema.ts';
import type { PdfOptions } from './schemas/options-schema.ts';
import type { LEVELS } from './schemas/signature-schema.ts';
import { toInches } from './values/lengths.ts';
import type { ValidationErrors } from './values/validation-errors.ts';

export interface SignaturePlan {
  /** `cert_...` */
  certificate: string;
  level: (typeof LEVELS)[number];
  reason: string | undefined;
  location: string | undefined;
  contact: string | undefined;
  /** Undefined for an invisible signature. */
  field: FieldPlan | NamedFieldPlan | undefined;
}

/** A signature field that the document has. */
interface NamedFieldPlan {
  name: string;
  html: string | undefined;
}

/** Lengths are in inches, from the upper left corner of the page. */
export interface FieldPlan {
  /** Counted from 1; -1 is the last one. */
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
  /** The appearance; undefined to show the name, the date and the reason. */
  html: string | undefined;
}

/** The smallest size at which text is legible. */
const MIN_SIDE_INCHES = 0.25;
const MAX_SIDE_INCHES = 40;

type Given = NonNullable<PdfOptions['signature']>;

export function parseSignature({ signature, password, forms }: PdfOptions, errors: ValidationErrors): SignaturePlan | undefined {
  if (signature === undefined) return undefined;
  if (password !== undefined) errors.add('options.password', 'cannot be combined with options.signature');
  const { certificate, level = 'B-B', reason, location, contact, field } = signature;
  for (const [name, text] of Object.entries({ reason, location, contact }))
    errors.addAll(textErrors(`options.signature.${name}`, text ?? ''));
  errors.addAll(textErrors('options.signature.field.html', field?.html ?? ''));
  if (field && 'name' in field && !forms)
    errors.add('options.signature.field.name', 'requires options.forms: true, which makes fields of the document');
  return { certificate, level, reason, location, contact, field: field && parseField(field, errors) };
}

function parseField(given: NonNullable<Given['field']>, errors: ValidationErrors): FieldPlan | NamedFieldPlan {
  if ('name' in given) return { name: given.name, html: given.html };
  const { page = 1, html } = given;
  const length = (name: 'x' | 'y' | 'width' | 'height', least: number) => {
    const path = `options.signature.field.${name}`;
    const inches = toInches(given[name]);
    if (inches === undefined) errors.add(path, `must be ${LENGTH}`);
    else if (inches < least || inches > MAX_SIDE_INCHES) errors.add(path, `must be from ${least}in to ${MAX_SIDE_INCHES}in`);
    return inches ?? 1;
  };
  const sides = { width: length('width', MIN_SIDE_INCHES), height: length('height', MIN_SIDE_INCHES) };
  return { page, x: length('x', 0), y: length('y', 0), ...sides, html };
}
