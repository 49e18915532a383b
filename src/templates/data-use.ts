/** Compares the paths that a template reads with its data: paths and data in, paths without a value and unused data out. */

export interface DataUse {
  /** Paths of the template for which the data has no value. */
  missing: string[];
  /** Paths of values that the template does not read, at most 100. */
  unused: string[];
}

interface Used {
  /** Whether the whole value is read, and not only named members. */
  whole: boolean;
  members: Map<string, Used>;
}

const MAX_UNUSED = 100;
/** Matches `.name`, `[0]`, `["name"]` and `['name']`. Anything else is known only when the template is filled. */
const STEP = /\.?([^.[\]]+)|\[(?:"([^"]*)"|'([^']*)'|(\d+))\]/y;
const OF_LISTS_AND_STRINGS = new Set(['size', 'first', 'last']);

export function dataUse(paths: readonly string[], data: Record<string, unknown>): DataUse {
  const root: Used = { whole: false, members: new Map() };
  const missing = paths.filter((path) => {
    const { steps, isWhole } = parsePath(path);
    note(root, steps);
    return isWhole && !hasValue(steps, data);
  });
  const unused: string[] = [];
  collectUnused(data, root, '', unused);
  return { missing, unused };
}

function parsePath(path: string): { steps: string[]; isWhole: boolean } {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  let end = 0;
  for (let found = STEP.exec(path); found; found = STEP.exec(path)) {
    steps.push(found.slice(1).find((each) => each !== undefined) ?? '');
    end = STEP.lastIndex;
  }
  return { steps, isWhole: end === path.length };
}

function note(root: Used, steps: readonly string[]): void {
  let used = root;
  for (const step of steps) {
    const next = used.members.get(step) ?? { whole: false, members: new Map() };
    used.members.set(step, next);
    used = next;
  }
  used.whole = true;
}

/** Whether the data has a value at this path. Null counts as no value, because nothing is written for it. */
function hasValue(steps: readonly string[], data: unknown): boolean {
  let value = data;
  for (const step of steps) {
    if ((Array.isArray(value) || typeof value === 'string') && OF_LISTS_AND_STRINGS.has(step)) return true;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Record<string, unknown>)[step];
  }
  return value !== undefined && value !== null;
}

/** Collects the paths of unused values. The elements of a list are not examined separately. */
function collectUnused(data: Record<string, unknown>, used: Used, prefix: string, unused: string[]): void {
  for (const [name, value] of Object.entries(data)) {
    if (unused.length >= MAX_UNUSED) return;
    const use = used.members.get(name);
    if (use?.whole || (use && Array.isArray(value))) continue;
    if (!use || typeof value !== 'object' || value === null) unused.push(prefix + name);
    else collectUnused(value as Record<string, unknown>, use, `${prefix}${name}.`, unused);
  }
}
