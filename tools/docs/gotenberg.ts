/** Generates the page of Gotenberg's form fields from the tables that its routes read. */

import { STAGE_NAMES } from '../../src/gotenberg/changes/stages.ts';
import { FIELDS, FILES, PDF_ROUTES, type PdfRouteName, type RouteKind, UNSUPPORTED } from '../../src/gotenberg/known-fields.ts';
import { code, page } from './markdown.ts';

const INTRODUCTION = `The form fields of the routes that \`PLATEN_GOTENBERG_ROUTES=on\` adds. [Gotenberg compatibility](../guide/gotenberg.md)
explains what differs. A field that is not supported is refused with 400, unless its value is empty or \`false\`.`;

const KINDS: ReadonlyArray<readonly [kind: RouteKind, heading: string]> = [
  ['pdf', '`/forms/chromium/convert/{html,url,markdown}`'],
  ['image', '`/forms/chromium/screenshot/{html,url,markdown}`'],
  ...(Object.keys(PDF_ROUTES) as PdfRouteName[]).map(
    (name) => [name, `\`/forms/pdfengines/${name}\`, \`/forms/pdf/${name}\``] as const,
  ),
];

export function gotenbergPage(): string {
  const stages = ['## Stages', `The names that \`stages\` may have: ${list(STAGE_NAMES)}.`];
  return page(
    'Form fields of Gotenberg',
    INTRODUCTION,
    ...KINDS.flatMap(([kind, heading]) => sectionOf(kind, heading)),
    ...stages,
  );
}

function sectionOf(kind: RouteKind, heading: string): string[] {
  return [
    `## ${heading}`,
    `Fields: ${list(Object.keys(FIELDS[kind])) || 'none'}.`,
    `Files: ${list(['files', ...Object.keys(FILES[kind])])}.`,
    `Not supported: ${list(UNSUPPORTED[kind])}.`,
  ];
}

function list(names: readonly string[]): string {
  return names.toSorted().map(code).join(', ');
}
