/** The settings for marks around printed pages. */
import type { PrintersMarks } from '../../../pdf/finish-settings.ts';
import { POINTS_PER_INCH } from '../../../units.ts';
import type { PrintedDocument } from '../printed-document.ts';

export function toPressSettings({ printersMarks: marks }: PrintedDocument): PrintersMarks | undefined {
  return marks && { bleed: marks.bleedInches * POINTS_PER_INCH, crop: marks.crop, cross: marks.cross };
}
