/** The validation rules for PDFs with their clauses and messages, and a list of requirements that are not checked. */
import type { Claims, RuleClauses } from '../conformance/profiles.ts';

interface Rule extends RuleClauses {
  message: string;
}

export const VALIDATION_RULES = {
  version_old: { archive: '6.1.2', isOfPart4: true, message: 'The header does not declare PDF 2.0.' },
  info_forbidden: { archive: '6.1.3', isOfPart4: true, message: 'The trailer has an information dictionary.' },
  encrypted: { archive: '6.1.3', message: 'The file is encrypted.' },
  file_damaged: {
    archive: '6.1.4',
    message: 'The cross-reference table or the trailer is missing or wrong, so that the objects were searched for.',
  },
  identifier_missing: { archive: '6.1.3', message: 'The trailer has no file identifier.' },
  metadata_missing: { accessible: ['7.1', '8.11.1'], archive: '6.6.2.1', message: 'The catalog has no XMP metadata.' },
  archive_claim_missing: {
    archive: '6.6.4',
    message: 'The XMP metadata do not claim this part of PDF/A, at this level or a higher one.',
  },
  accessible_claim_missing: { accessible: ['5', '5'], message: 'The XMP metadata do not claim this part of PDF/UA.' },
  output_intent_missing: { archive: '6.2.4.3', message: 'There is no PDF/A output intent with a colour profile.' },
  not_marked: { accessible: ['6.2', '6.2'], archive: '6.7.2.2', message: 'The catalog does not mark the file as tagged.' },
  structure_missing: { accessible: ['7.1', '8.2.1'], archive: '6.7.3.3', message: 'There is no structure tree.' },
  namespace_missing: {
    accessible: ['', '8.2.5.2'],
    message: 'The structure does not have one Document element, in the namespace of PDF 2.0.',
  },
  destination_unstructured: {
    accessible: ['', '8.8'],
    message: 'A link or a bookmark leads to a position on a page instead of a structure element.',
  },
  structure_too_complex: {
    accessible: ['7.1', '8.2.1'],
    archive: '6.7.3.3',
    message: 'The structure tree has a cycle, or is too deep or too large to be read.',
  },
  role_unmapped: {
    accessible: ['7.1', '8.2.4'],
    archive: '6.7.3.4',
    message: 'A structure type is neither standard nor mapped to a standard type.',
  },
  title_missing: { accessible: ['7.1', '8.11.1'], message: 'The XMP metadata have no title (dc:title).' },
  title_not_shown: {
    accessible: ['7.1', '8.11.2'],
    message: 'The viewer preferences do not display the title (DisplayDocTitle).',
  },
  language_missing: { accessible: ['7.2', '8.4.4'], message: 'The catalog does not declare a language.' },
  language_invalid: { accessible: ['7.2', '8.4.4'], message: 'A language is not a valid language tag.' },
  structure_invalid: {
    accessible: ['7.2', 'ISO/TS 32005, table 5'],
    message: 'An element is not allowed in its list or table, or is outside of one.',
  },
  alternate_text_missing: { accessible: ['7.3', '8.2.5.28.2'], message: 'A figure has no alternate text.' },
  heading_skipped: { accessible: ['7.4.2', ''], message: 'A heading level is skipped.' },
  formula_text_missing: { accessible: ['7.7', ''], message: 'A formula has no alternate text.' },
  words_glued: {
    accessible: ['7.1', '8.2.1'],
    archive: '6.7.2.1',
    message: 'The tags have no space between two words that are on different lines or apart from each other.',
  },
  content_unmarked: { accessible: ['7.1', '8.2.2'], message: 'Content is neither tagged nor an artifact.' },
  annotation_untagged: { accessible: ['7.18.1', ''], message: 'An annotation is not in an Annot element.' },
  annotation_description_missing: { accessible: ['7.18.1', ''], message: 'An annotation has no description (Contents).' },
  field_name_missing: { accessible: ['7.18.1', ''], message: 'A form field has no name (TU).' },
  tab_order_missing: { accessible: ['7.18.3', '8.9.3.3'], message: 'A page with annotations has no permitted tab order (Tabs).' },
  field_untagged: { accessible: ['7.18.4', '8.10.1'], message: 'A form field is not in a Form element.' },
  link_untagged: { accessible: ['7.18.5', '8.2.5.20'], message: 'A link is not in a Link element.' },
  link_description_missing: { accessible: ['7.18.5', ''], message: 'A link has no description (Contents).' },
  annotation_flags: { archive: '6.3.2', message: 'An annotation is hidden, or is not printed.' },
  appearance_missing: { archive: '6.3.3', message: 'An annotation has no appearance stream.' },
  appearances_needed: { archive: '6.4.1', message: 'The form asks viewers to generate its appearances (NeedAppearances).' },
  xfa_form: { archive: '6.4.2', message: 'There is an XFA form.' },
  action_forbidden: { archive: '6.5.1', message: 'There is an action that this part of PDF/A does not allow.' },
  font_not_embedded: { accessible: ['7.21.4.1', '8.4.5.5.1'], archive: '6.2.11.4.1', message: 'A font is not embedded.' },
  text_unmapped: {
    accessible: ['7.21.7', '8.4.5.8'],
    archive: '6.2.11.7.2',
    message: 'A font does not map its glyphs to Unicode.',
  },
  attachment_forbidden: { archive: '6.8', message: 'There is an attached file. PDF/A-2 and PDF/A-4 allow only PDF/A files.' },
  attachment_missing: { archive: '6.8', isOfPart4: true, message: 'There is no attached file, which PDF/A-4f requires.' },
  attachment_description_missing: { accessible: ['', '8.14.1'], message: 'An attached file has no description (Desc).' },
  attachment_incomplete: {
    archive: '6.8',
    message: 'An attached file has no names, no media type or no relationship to the document.',
  },
} as const satisfies Record<string, Rule>;

export type ValidationRule = keyof typeof VALIDATION_RULES;

/** Requirements of the standards that are not checked here. Those of PDF/UA-1 are also part of PDF/UA-2. */
const UNCHECKED = [
  'ISO 19005, 6.1.2 to 6.1.13: the syntax of the file, and limits of numbers and lengths',
  'ISO 19005, 6.2.2 to 6.2.10: colour spaces, images, operators and transparency, except the presence of an output intent',
  'ISO 19005, 6.2.11: the content of font programs and the widths of their glyphs',
  'ISO 19005, 6.6.2.3: extension schemas of XMP, and whether XMP is well-formed',
  'ISO 19005, 6.2.11: fonts in patterns and in the glyphs of Type 3 fonts',
  'ISO 14289-1, 7.1: content of form XObjects, and content after an inline image on a page; artifacts in tagged content and tagged content in artifacts',
  'ISO 14289-1, 7.2: table regularity, natural language of individual texts',
  'ISO 14289-1, 7.4.4, 7.5, 7.9, 7.10, 7.15, 7.16, 7.20: heading styles, table headers, notes, optional content, XFA forms, security, reference XObjects',
  'ISO 14289-1, 7.21: font programs, missing glyphs',
  'ISO 14289-2, 8.2.5: table headers and regularity, list numbering, ruby, captions, notes; 8.10.2: labels and descriptions of fields',
  'ISO 14289-2, 8.4: font programs, missing glyphs, private use characters; 8.8: destinations in the name tree',
  'ISO/TS 32005, table 5: which elements may contain which, except in lists and tables',
  'whether texts, reading order and tags are correct, which no program can determine',
];

/** The requirements of the claimed standards that are not checked here. */
export function listUnchecked({ archive, accessible }: Claims): string[] {
  const others = [
    ...(archive ? [] : ['ISO 19005']),
    ...(accessible ? [] : ['ISO 14289-1']),
    ...(accessible === 2 ? [] : ['ISO 14289-2', 'ISO/TS 32005']),
  ];
  return UNCHECKED.filter((requirement) => !others.some((standard) => requirement.startsWith(standard)));
}
