/** Sample data for each template, kept in this tab. */
import { forget, keep, kept } from './session.ts';

export function sampleFor(templateId: string | null, placeholders: string[]): string {
  return kept(nameFor(templateId)) ?? sampleOf(placeholders);
}

export function keepSample(templateId: string | null, text: string): void {
  keep(nameFor(templateId), text);
}

/** Moves the sample data of the new template to the id under which it was saved. */
export function adoptSample(templateId: string): void {
  const text = kept(nameFor(null));
  if (text === null) return;
  keepSample(templateId, text);
  forget(nameFor(null));
}

/** Creates initial data in which the value at each path is the path itself. */
export function sampleOf(placeholders: string[]): string {
  const root = emptyNode();
  for (const path of placeholders) put(root, path.split('.'), path);
  return JSON.stringify(root, null, 2);
}

type Node = { [name: string]: Node | string };

/** Has no prototype: a path may be called `__proto__`. */
function emptyNode(): Node {
  return Object.create(null) as Node;
}

function put(root: Node, names: string[], value: string): void {
  const last = names.pop();
  if (last === undefined) return;
  let node = root;
  for (const name of names) {
    const inner = node[name];
    const next = typeof inner === 'object' ? inner : emptyNode();
    node[name] = next;
    node = next;
  }
  node[last] ??= value;
}

function nameFor(templateId: string | null): string {
  return `sample.${templateId ?? 'new'}`;
}
