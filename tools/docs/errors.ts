/** Generates the page of errors and warnings from the tables in `src/http/server/problem.ts` and `src/render/request/schemas/warnings.ts`. */
import { PROBLEMS } from '../../src/http/server/problem.ts';
import { WARNINGS } from '../../src/render/request/schemas/warnings.ts';
import { code, page, table } from './markdown.ts';

const INTRODUCTION = `An error is \`application/problem+json\` (RFC 9457). Its members \`type\`, \`title\`, \`status\`, \`detail\`, \`code\` and \`request_id\`
are always present; \`code\` is stable, and \`type\` is the URL of a page on your server that explains it. Some errors have further members,
which are listed below. Every 429 has \`Retry-After\`, and so does a 503 if the wait is known.`;

const ON_WARNINGS = `A warning reports something that is missing from a PDF or wrong with it, but did not fail the render. The
[guide](../guide/warnings.md) explains where warnings appear and how to make them errors.`;

export function errorsPage(): string {
  const problems = Object.entries(PROBLEMS).map(([name, { status, meaning, remedy }]) => [
    code(name),
    String(status),
    meaning,
    remedy,
  ]);
  const warnings = Object.entries(WARNINGS).map(([kind, { meaning, members }]) => [code(kind), meaning, members]);
  return page(
    'Errors and warnings',
    INTRODUCTION,
    '## Errors',
    table(['code', 'status', 'when', 'what to do'], problems),
    '## Warnings',
    ON_WARNINGS,
    table(['kind', 'meaning', 'members beside `message`'], warnings),
  );
}
