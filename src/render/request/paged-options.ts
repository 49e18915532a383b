/** Options about what depends on the pages of a document. */
import type { ContentsOrder } from '../../in-page/contract/paged.ts';
import { isAutoMargin } from './paper-options.ts';
import type { PdfOptions } from './schemas/options-schema.ts';
import { DEFAULT_CONTENTS } from './schemas/paged-schema.ts';
import type { ValidationErrors } from './values/validation-errors.ts';

const MAX_NAMED_PAGES = 40;

/** The markup of a header or footer by the pages that it is for. */
export interface HeaderOrder {
  all?: string;
  first?: string;
  last?: string;
  left?: string;
  right?: string;
  /** By the name of pages. */
  pages?: Record<string, string>;
}

export function listMarkup(order: HeaderOrder | undefined): string[] {
  const { pages = {}, ...others } = order ?? {};
  return [...Object.values(others), ...Object.values(pages)];
}

export interface PagedPlan {
  header: HeaderOrder | undefined;
  footer: HeaderOrder | undefined;
  /** Whether the upper and lower margins are those that header and footer need. */
  hasAutoMargin: boolean;
  /** A table of contents to make. */
  contents: ContentsOrder | undefined;
  /** Selectors of the elements whose places are reported. */
  layout: readonly string[] | undefined;
}

export function parsePaged(options: PdfOptions, errors: ValidationErrors): PagedPlan {
  const { toc, margin, layout } = options;
  return {
    header: parseHeader('header', options, errors),
    footer: parseHeader('footer', options, errors),
    hasAutoMargin: isAutoMargin(margin),
    contents: toc && { ...DEFAULT_CONTENTS, ...toc },
    layout: layout?.length ? layout : undefined,
  };
}

function parseHeader(name: 'header' | 'footer', options: PdfOptions, errors: ValidationErrors): HeaderOrder | undefined {
  const given = options[name];
  if (given === undefined) return undefined;
  if (options[`${name}Template`] !== undefined)
    errors.add(`options.${name}`, `cannot be combined with options.${name}Template: send only one of them`);
  const order = typeof given === 'string' ? { all: given } : given;
  const { pages = {}, ...others } = order;
  if (Object.keys(pages).length + Object.keys(others).length === 0)
    errors.add(
      `options.${name}`,
      'has no markup: send a string of HTML, or an object with all, first, last, left, right or pages',
    );
  if (Object.keys(pages).length > MAX_NAMED_PAGES) errors.add(`options.${name}.pages`, `has more than ${MAX_NAMED_PAGES} names`);
  return order;
}
