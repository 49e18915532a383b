/** Changes the options of the draft. Each change can be undone until the draft is replaced. */
import { computed, signal } from '@preact/signals';
import { change, draft, generation, type Options } from '../draft.ts';

const MOST_STEPS = 100;

interface Step {
  options: Options;
  /** The draft that has them, and none that replaces it. */
  generation: number;
  /** What was changed, so that what is typed into a field is one step. Undefined once the visitor has left the field. */
  by: string | undefined;
}

/** The options before each change. */
const steps = signal<readonly Step[]>([]);
/** Increases when all options have been replaced, for what has a state of its own. */
export const replacements = signal(0);

const last = computed(() => {
  const step = steps.value.at(-1);
  return step?.generation === generation.value ? step : undefined;
});
export const canUndo = computed(() => last.value !== undefined);

/** Sets an option. `undefined` removes it. */
export function changeOption(name: string, value: unknown): void {
  const { [name]: _, ...others } = draft.peek().options;
  writeOptions(value === undefined ? others : { ...others, [name]: value }, name);
}

/** `by` names what is used to change them. */
export function writeOptions(options: Options, by: string): void {
  const step = { options: draft.peek().options, generation: generation.peek(), by };
  const isNew = last.peek()?.by !== by;
  if (isNew) steps.value = [...(last.peek() ? steps.peek() : []), step].slice(-MOST_STEPS);
  change({ options });
}

/** What is changed next is another step. */
export function endStep(): void {
  const step = last.peek();
  if (step?.by !== undefined) steps.value = steps.peek().with(-1, { ...step, by: undefined });
}

export function resetOptions(): void {
  endStep();
  writeOptions({}, '');
  endStep();
  replacements.value += 1;
}

export function undoOptions(): void {
  const step = last.peek();
  if (!step) return;
  steps.value = steps.peek().slice(0, -1);
  change({ options: step.options });
  replacements.value += 1;
}
