/** The rules that documents can violate, and the violations found: each with its clause, element and remedy. */

import { ServiceError } from '../../errors.ts';
import type { ElementLocation } from '../../tag-structure.ts';
import { type Claims, citeClauses, type RuleClauses } from './profiles.ts';

export interface Violation {
  rule: RuleName;
  /** The violated clauses of the standards, such as `ISO 14289-1, 7.3`. */
  clause: string;
  message: string;
  /** The CSS selector of the element; null if the element is not known. */
  selector: string | null;
  snippet: string | null;
  remedy: string;
}

interface Rule extends RuleClauses {
  message: string;
  remedy: string;
}

const RULES = {
  language_missing: {
    accessible: ['7.2', '8.4.4'],
    archive: '6.7.4',
    message: 'The document does not say in which language it is written.',
    remedy: 'Set the attribute lang of the html element, such as <html lang="en">.',
  },
  language_invalid: {
    accessible: ['7.2', '8.4.4'],
    archive: '6.7.4',
    message: 'The value of lang is not a language tag.',
    remedy: 'Use a tag such as en, de-AT or zh-Hant.',
  },
  title_missing: {
    accessible: ['7.1', '8.11.1'],
    message: 'The document has no title.',
    remedy: 'Add a title element to the head, or send options.metadata.title.',
  },
  alternate_text_missing: {
    accessible: ['7.3', '8.2.5.28.2'],
    archive: '6.7.5',
    message: 'The image has no alternate text.',
    remedy:
      'Describe it with alt, aria-label, or title inside svg. If it is decoration, say so with alt="" or aria-hidden="true".',
  },
  image_untagged: {
    accessible: ['7.3', '8.2.5.28.2'],
    archive: '6.7.5',
    message: 'The image gets no tag.',
    remedy:
      'Put role="img" and aria-label on an svg or img element, not on an icon of a font, several drawings, a cell, a link or a control, and do not select it by them in CSS.',
  },
  heading_skipped: {
    accessible: ['7.4.2', ''],
    message: 'A level of headings is skipped.',
    remedy: 'Begin with h1 and go down one level at a time. Change the size of a heading with CSS, not with its level.',
  },
  heading_too_deep: {
    accessible: ['7.4.2', '8.2.5.12'],
    message: 'The heading is deeper than level 6.',
    remedy: 'Use the levels 1 to 6.',
  },
  heading_empty: {
    accessible: ['7.4.2', '8.2.5.12'],
    message: 'The heading has no text.',
    remedy: 'Give it a text, or use an element that is no heading.',
  },
  table_irregular: {
    accessible: ['7.2', '8.2.5.26'],
    message: 'The rows of the table have different numbers of columns, or its cells overlap.',
    remedy:
      'Add the cells that are missing, correct colspan and rowspan, or use role="presentation" for a table that is only layout.',
  },
  field_name_missing: {
    accessible: ['7.18.4', '8.10.2.3'],
    message: 'The form field has no name.',
    remedy: 'Give it a label element, aria-label or title.',
  },
  embedded_content: {
    accessible: ['7.1', '8.2.2'],
    archive: '6.7.3',
    message: 'The content of a frame or of embedded media has no tags.',
    remedy: 'Put the content into the document itself, leave it out in print, or hide it with aria-hidden="true".',
  },
  content_rasterized: {
    accessible: ['7.1', '8.2.2'],
    archive: '6.7.3',
    message: 'An effect has the element drawn as one image, without its text and tags.',
    remedy:
      'Remove filter, -webkit-box-reflect or the perspective, or hide the element with aria-hidden="true" if it is decoration.',
  },
  glyph_missing: {
    accessible: ['7.21.8', '8.4.5.9'],
    archive: '6.2.11.8',
    message: 'No font has a glyph for a character of the document.',
    remedy: 'Use a font that has the character, or leave the character out.',
  },
  text_unmapped: {
    accessible: ['7.21.7', '8.4.5.8'],
    archive: '6.2.11.7',
    message: 'A font does not tell which character a glyph stands for, so that its text cannot be read out or copied.',
    remedy: 'Use another font for this text.',
  },
  nesting_too_deep: {
    archive: '6.1.13',
    message: 'A page saves its graphics state more than 28 times before it restores it.',
    remedy: 'Nest fewer elements with opacity, transforms, filters and clipping in each other.',
  },
  value_too_large: {
    archive: '6.1.13',
    message: 'A URL or a text of the document is longer than 32,767 bytes.',
    remedy: 'Shorten it. Links with data: URLs are the usual cause.',
  },
  page_size: {
    archive: '6.1.13',
    message: 'A page is smaller than 3 points.',
    remedy: 'Use larger paper.',
  },
  structure_invalid: {
    accessible: ['7.2', 'ISO/TS 32005, table 5'],
    message: 'The tags of the document are nested in a way that the standard does not allow.',
    remedy: 'Use elements and roles of lists and tables as HTML nests them.',
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

/** The maximum number of violations in a response. */
const MAX_VIOLATIONS = 200;

export class Violations {
  readonly found: Violation[] = [];
  readonly #claims: Claims;

  constructor(claims: Claims) {
    this.#claims = claims;
  }

  add(rule: RuleName, place?: ElementLocation, detail?: string): void {
    const clause = citeClauses(RULES[rule], this.#claims);
    if (!clause || this.found.length >= MAX_VIOLATIONS) return;
    const { message, remedy } = RULES[rule];
    const { selector = null, snippet = null } = place ?? {};
    this.found.push({ rule, clause, message: detail ? `${message} ${detail}` : message, selector, snippet, remedy });
  }

  has(rule: RuleName): boolean {
    return this.found.some((each) => each.rule === rule);
  }
}

/** The error for a PDF that breaks the rules. Its detail has no text of the document, since it may be logged. */
export function notConformant(violations: Violation[]): ServiceError {
  const [first] = violations;
  const more = violations.length > 1 ? ` And ${violations.length - 1} more.` : '';
  const what = first ? `${first.rule}: ${RULES[first.rule].message}` : '';
  return new ServiceError('not_conformant', `${what}${more}`, { members: { violations } });
}
