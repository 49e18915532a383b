/** Where what went wrong belongs: which field of the form, which editor, which line of it. */
import { computed } from '@preact/signals';
import type { ProblemBody } from '../shared/api.ts';
import type { LineFault } from '../shared/code-editor/diagnostics.ts';
import { renderState } from './render-loop.ts';

export interface FieldFault {
  path: string;
  message: string;
}

const problem = computed<ProblemBody | undefined>(() =>
  renderState.value.kind === 'problem' ? renderState.value.problem : undefined,
);

const all = computed<FieldFault[]>(() => problem.value?.errors ?? []);

/** Of options, by their paths without `options.`. */
export const optionFaults = computed<FieldFault[]>(() =>
  all.value
    .filter(({ path }) => path.startsWith('options.'))
    .map(({ path, message }) => ({ path: path.slice('options.'.length), message })),
);

/** Of anything else: `html`, `data` and so on. */
export const otherFaults = computed<FieldFault[]>(() => all.value.filter(({ path }) => !path.startsWith('options.')));

export const templateFault = computed<LineFault | undefined>(() => {
  if (problem.value?.code !== 'template_error') return undefined;
  const { line, column, detail, title } = problem.value;
  if (typeof line !== 'number') return undefined;
  return { line, column: typeof column === 'number' ? column : 1, message: detail ?? title };
});

/** What is said at a field: faults of it, and those within it that no smaller field shows. */
export function faultsAt(path: string, within: readonly string[] = []): FieldFault[] {
  const shown = within.map((name) => `${path}.${name}`);
  return optionFaults.value.filter((fault) => isAt(fault.path, path) && !shown.some((name) => isAt(fault.path, name)));
}

function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}

/** The option a fault belongs to. */
export function optionOf({ path }: FieldFault): string {
  return path.split(/[.[]/)[0] ?? path;
}
