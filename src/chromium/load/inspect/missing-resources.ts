/** Explains why parts of a loaded document are missing although no network request failed, or have the wrong content. */
import { Type } from 'typebox';
import { MISSING_REASONS, type MissingPart, type MissingReason } from '../../../in-page/contract/inspection.ts';
import { MAX_ALTERNATIVES, MAX_MISSING_PARTS, MAX_MISSING_URL } from '../../../in-page/contract/limits.ts';
import { shape } from '../../devtools/evaluate.ts';
import type { MissingResource } from '../../print/missing-resource.ts';

const REASONS: Record<MissingReason, string> = {
  base: 'the URL is relative, and the document has no base URL: send the file in assets, or set baseUrl',
  file: 'a document cannot read files of the server',
  scheme: 'nothing can be loaded from a URL with this scheme',
  image: 'the data is not an image that the browser can show',
  font: 'the font was not loaded, or it cannot be read',
  late: 'the font arrived too late for its font-display: use swap or block',
  sprite: 'parts of an SVG file are loaded only from the origin of the document: embed the SVG',
  xml: 'the XHTML cannot be parsed: everything after its first error is missing',
  failed: 'failed',
};

const Url = Type.String({ minLength: 1, maxLength: MAX_MISSING_URL });
const Others = Type.Array(Type.String(), { maxItems: MAX_ALTERNATIVES });
export const MISSING_PARTS = shape(
  Type.Array(Type.Tuple([Url, Type.Enum(MISSING_REASONS), Others]), { maxItems: MAX_MISSING_PARTS }),
);

export function missingResources(parts: MissingPart[]): MissingResource[] {
  return parts.map(([url, reason, others]) => ({ url: url.toWellFormed(), reason: REASONS[reason], others }));
}
