/** Finds markup whose tables may have rows for every page, and reads what a document answers about such rows. */
import { Type } from 'typebox';
import { MAX_ROW_GROUPS } from '../../in-page/contract/limits.ts';
import { shape } from '../devtools/evaluate.ts';

/** Matches markup with rows that may be repeated. */
export const MAY_REPEAT = /<t(?:head|foot)\b|table-(?:header|footer)-group/i;

/** The answer to `findUnrepeatedRows`. */
export const UNREPEATED_ROWS = shape(
  Type.Array(
    Type.Object({
      element: Type.String(),
      display: Type.Union([Type.Literal('table-header-group'), Type.Literal('table-footer-group')]),
    }),
    { maxItems: MAX_ROW_GROUPS },
  ),
);
