/** Fields of a template that several requests have. */
import { Type } from 'typebox';
import { oneOf } from '../../../render/request/schemas/option.ts';
import { MAX_HTML_BYTES } from '../../../render/request/schemas/options-schema.ts';
import { ENGINES } from '../../../templates/template.ts';

export const html = {
  ...Type.String(),
  expected: 'a string of HTML',
  description: `The template, at most ${MAX_HTML_BYTES} bytes of UTF-8.`,
  examples: ['<h1>Invoice for {{customer.name}}</h1>'],
};
export const engine = {
  ...oneOf(ENGINES),
  description:
    '`placeholders` replaces `{{path}}` (escaped) and `{{{path}}}` (raw). `liquid` is LiquidJS, with loops, conditions and filters.',
};
