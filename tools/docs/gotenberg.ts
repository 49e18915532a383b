/** Generates the page of Gotenberg's form fields from the tables that its routes read. */
import { STAGE_NAMES } from '../../src/gotenberg/changes/stages.ts';
import { FIELDS, FILES, PDF_ROUTES, type PdfRouteName, type RouteKind, UNSUPPORTED } from '../../src/gotenberg/known-fields.ts';
import { code, page, table } from './markdown.ts';

const INTRODUCTION = `The form fields of the routes that \`PLATEN_GOTENBERG_ROUTES=on\` adds. [Gotenberg compatibility](../guide/gotenberg.md)
explains what differs. A field that is not supported is refused with 400, unless its value is empty or \`false\`.`;

const CONVERSIONS: ReadonlyArray<readonly [kind: RouteKind, heading: string]> = [
  ['pdf', '`/forms/chromium/convert/{html,url,markdown}`'],
  ['image', '`/forms/chromium/screenshot/{html,url,markdown}`'],
];

export function gotenbergPage(): string {
  return page(
    'Form fields of Gotenberg',
    INTRODUCTION,
    ...CONVERSIONS.flatMap(([kind, heading]) => sectionOf(kind, heading)),
    '## `/forms/pdfengines/...`, in version 9 `/forms/pdf/...`',
    'These routes take the PDFs in `files`.',
    table(['route', 'fields', 'other files', 'not supported'], (Object.keys(PDF_ROUTES) as PdfRouteName[]).map(rowOf)),
    '## Stages',
    `The names that stages in \`stages\` may have: ${STAGE_NAMES.map(code).join(', ')}.`,
  );
}

function rowOf(name: PdfRouteName): string[] {
  return [code(name), list(Object.keys(FIELDS[name])), list(Object.keys(FILES[name])), list(UNSUPPORTED[name])];
}

function sectionOf(kind: RouteKind, heading: string): string[] {
  return [
    `## ${heading}`,
    `Fields: ${list(Object.keys(FIELDS[kind]))}.`,
    `Files: ${list(['files', ...Object.keys(FILES[kind])])}.`,
    `Not supported: ${list(UNSUPPORTED[kind])}.`,
  ];
}

function list(names: readonly string[]): string {
  return names.toSorted().map(code).join(', ');
}
