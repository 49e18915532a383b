/** Generates the page of `options` from the schema of `POST /v1/pdf`. */

import { PdfOptions } from '../../src/render/request/schemas/options-schema.ts';
import { OPTION_GROUPS } from '../../web/playground/options/option-groups.ts';
import { code, json, page } from './markdown.ts';
import { defaultOf, membersTable, type Schema, withUnit } from './schema.ts';

const INTRODUCTION = `The members of \`options\` in \`POST /v1/pdf\`. They are the same for items of batches, in the playground, and in the file of
\`platen render --options\`. Names are case-sensitive; an unknown name, a value out of range, or a combination that is marked as invalid is 400
\`invalid_request\`. Unknown names and wrong types are reported first, all of them at once; then everything else, at once as well.

A **length** is a number of CSS pixels, 96 to the inch, or a string with \`px\`, \`in\`, \`cm\`, \`mm\`, \`q\`, \`pt\` or \`pc\`: \`96\`, \`"1in"\`, \`"2.54cm"\`.`;

const OPTIONS = PdfOptions.properties as unknown as Record<string, Schema>;

export function optionsPage(): string {
  const groups = Object.entries(OPTION_GROUPS).flatMap(([title, names]) => [`## ${title}`, ...names.split(' ').map(section)]);
  return page('Options', INTRODUCTION, ...groups);
}

function section(name: string): string {
  const schema = OPTIONS[name] ?? {};
  const examples = (schema.examples ?? []).map((example) => json({ [name]: example })).join(', ');
  const facts = [`- Type: ${withUnit(schema)}`, `- Default: ${defaultOf(schema)}`, `- Example: ${examples}`].join('\n');
  return [`### ${code(name)}`, schema.description, facts, membersTable(schema)].filter(Boolean).join('\n\n');
}
