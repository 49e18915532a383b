/** Maps errors to the fields of the form, and to lines in the editors. */
import { computed } from '@preact/signals';
import type { ProblemBody } from '../shared/api.ts';
import type { LineError } from '../shared/code-editor/diagnostics.ts';
import { renderState } from './render-loop.ts';

export interface FieldError {
  path: string;
  message: string;
}

const problem = computed<ProblemBody | undefined>(() =>
  renderState.value.kind === 'problem' ? renderState.value.problem : undefined,
);

const all = computed<FieldError[]>(() => problem.value?.errors ?? []);

/** Errors of options, whose paths have no `options.`. */
export const optionErrors = computed<FieldError[]>(() =>
  all.value
    .filter(({ path }) => path.startsWith('options.'))
    .map(({ path, message }) => ({ path: path.slice('options.'.length), message })),
);

/** Errors of other members, such as `html` and `data`. */
export const otherErrors = computed<FieldError[]>(() => all.value.filter(({ path }) => !path.startsWith('options.')));

export const templateError = computed<LineError | undefined>(() => problem.value && readLineError(problem.value));

/** The place of a mistake in a template. Undefined for other problems, and if the place is not known. */
function readLineError({ code, line, column, detail, title }: ProblemBody): LineError | undefined {
  if (code !== 'template_error' || typeof line !== 'number') return undefined;
  return { line, column: typeof column === 'number' ? column : 1, message: detail ?? title };
}

/** Returns the errors of a field, including those inside it that no smaller field shows. */
export function findErrors(path: string, within: readonly string[] = []): FieldError[] {
  const shown = within.map((name) => `${path}.${name}`);
  return optionErrors.value.filter((error) => isAt(error.path, path) && !shown.some((name) => isAt(error.path, name)));
}

function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}

/** Returns the option that an error belongs to. */
export function optionName({ path }: FieldError): string {
  return path.split(/[.[]/)[0] ?? path;
}
