/** Generates the page that compares the CSS of print in several tools from the last result of `npm run bench -- --features`. */
import { readFile } from 'node:fs/promises';
import { median } from '../../bench/measure.ts';
import type { Feature } from '../../test/features/feature.ts';
import { AREAS } from '../../test/features/features.ts';
import { UNSUPPORTED } from '../../test/features/unsupported.ts';
import { DOCUMENTED } from './documented-support.ts';
import { page, table } from './markdown.ts';

export const COMPATIBILITY = new URL('../../docs/guide/compatibility.md', import.meta.url).pathname;

const RESULT = new URL('../../bench/results/features.json', import.meta.url);

export interface FeaturesResult {
  startedAt: string;
  rows: Array<{ measure: string } & Partial<Version & Outcome>>;
}

interface Version {
  peer: string;
  version: string;
}

export interface Outcome {
  feature: string;
  peer: string;
  isRight: boolean;
  pages: number;
  ms: number;
}

const WAYS: Record<string, string> = {
  Platen: '`POST /v1/pdf` of the service in this repository',
  WeasyPrint: 'a command for each document',
  'Paged.js': 'a script of the document, in the browser of Platen',
};

const INTRODUCTION = `What of the CSS of print works in Platen, and what in other tools. Each feature has a small document of our own in
\`test/features\`, and a check of what a reader sees: texts, their places, sizes, colours, bookmarks. All tools print the same
documents, and the same check says yes or no. No means that this document is not right; another one may be.`;

const REPEAT = `\`\`\`sh
npm run bench -- --features --weasyprint weasyprint --pictures /tmp/pictures
npm run docs
\`\`\`

The first command writes \`bench/results/features.json\`, and \`/tmp/pictures/index.html\`, which shows all prints side by side. The second
one writes this page. \`npm test\` prints the documents
with Platen, and fails if one is not as this page says.`;

const ON_DOCUMENTATION = `These tools were not run. The table has what the linked pages of their documentation say, some of which describe earlier
versions. For Gotenberg, [its documentation](https://gotenberg.dev/docs/routes) says that Chromium makes the pages, and does
not state what of this CSS works.`;

export async function readFeatures(): Promise<FeaturesResult> {
  return JSON.parse(await readFile(RESULT, 'utf8')) as FeaturesResult;
}

export function writeCompatibility({ startedAt, rows }: FeaturesResult): string {
  const versions = rows.filter((row): row is Version & { measure: string } => 'version' in row);
  const outcomes = rows.filter((row): row is Outcome & { measure: string } => 'isRight' in row);
  const tools = versions.map(({ peer }) => peer);
  const lacking = AREAS.flatMap(({ features }) => features).filter(({ name }) => name in UNSUPPORTED);
  return page(
    'CSS for print in Platen and other tools',
    INTRODUCTION,
    `The documents were printed on ${startedAt.slice(0, 10)}. The time is the median over all documents, which the tools printed in turn on a machine that also did other work; it includes the start of a command.`,
    table(
      ['tool', 'version', 'right', 'time of a document', 'how it prints'],
      versions.map((each) => summarize(each, outcomes)),
    ),
    '## What Platen lacks',
    table(
      ['feature', 'why, and what to do'],
      lacking.map(({ name }) => [name, UNSUPPORTED[name] ?? '']),
    ),
    ...AREAS.flatMap(({ name, features }) => [
      `## ${name}`,
      table(
        ['feature', ...tools],
        features.map((feature) => compare(feature, tools, outcomes)),
      ),
    ]),
    '## By their documentation',
    ON_DOCUMENTATION,
    table(
      ['subject', 'Vivliostyle', 'Prince', 'Gotenberg'],
      AREAS.map(({ name }) => quote(name)),
    ),
    '## Measure it yourself',
    REPEAT,
  );
}

function summarize({ peer, version }: Version, outcomes: readonly Outcome[]): string[] {
  const own = outcomes.filter((each) => each.peer === peer);
  const right = own.filter(({ isRight }) => isRight).length;
  const ms = Math.round(median(own.map((each) => each.ms)));
  return [peer, version, `${right} of ${own.length}`, `${ms} ms`, WAYS[peer] ?? ''];
}

/** Tells the pages where they differ from those of a right print. */
function compare({ name, spec }: Feature, tools: readonly string[], outcomes: readonly Outcome[]): string[] {
  const own = outcomes.filter(({ feature }) => feature === name);
  const right = own.find(({ isRight }) => isRight);
  const cells = tools.map((tool) => {
    const outcome = own.find(({ peer }) => peer === tool);
    if (!outcome) return 'not run';
    if (outcome.isRight) return 'yes';
    if (!outcome.pages) return 'no: an error';
    return right && right.pages !== outcome.pages ? `no: ${outcome.pages} instead of ${right.pages} pages` : 'no';
  });
  return [`[${name.replaceAll(']', '\\]')}](${spec})`, ...cells];
}

function quote(area: string): string[] {
  const { vivliostyle, prince, gotenberg } = DOCUMENTED[area] ?? {};
  return [area, ...[vivliostyle, prince, gotenberg].map((text) => text ?? 'not stated')];
}
