/** Error codes, from the table of statuses in `src/http/problem.ts`; and the kinds of warnings. */
import { PROBLEMS } from '../../src/http/problem.ts';
import { WARNINGS } from '../../src/render/warnings.ts';
import { code, page, table } from './markdown.ts';

const INTRODUCTION = `An error is \`application/problem+json\` (RFC 9457). Its members \`type\`, \`title\`, \`status\`, \`detail\`, \`code\` and \`request_id\`
are always there; \`code\` is stable, and \`type\` is the address of a page on your server that explains it. Some errors have members of their own,
which are named below. Every 429 has \`Retry-After\`, and so has 503 where the wait is known.`;

const ON_WARNINGS = `A warning is something that is missing from a PDF, or wrong with it, and did not prevent it. The
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
