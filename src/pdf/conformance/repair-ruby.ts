/** Splits each Ruby element into one for each base, because in PDF 2.0 it has one base and one text (ISO 14289-2, 8.2.5.23). */
import { StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';

interface Pair {
  base: StructureElement['kids'];
  text: StructureElement[];
}

export function splitRubies(tree: StructureTree, rubies: StructureElement[]): void {
  const split = new Map<StructureElement, StructureElement[]>();
  for (const ruby of rubies) {
    const [first, ...others] = readPairs(ruby).map(({ base, text }) => toKids(tree, base, text));
    if (!first) continue;
    ruby.replaceKids(first);
    ruby.type = pairType(first);
    if (others.length) split.set(ruby, [ruby, ...others.map((kids) => tree.create(pairType(kids), kids))]);
  }
  for (const parent of new Set([...split.keys()].map((ruby) => ruby.parent)))
    parent?.replaceKids(parent.kids.flatMap((kid) => (kid instanceof StructureElement && split.get(kid)) || [kid]));
}

function readPairs(ruby: StructureElement): Pair[] {
  const pairs: Pair[] = [];
  for (const kid of ruby.kids) {
    const isText = kid instanceof StructureElement && kid.type === 'RT';
    const last = pairs.at(-1);
    if (isText && last) last.text.push(kid);
    else if (last && !last.text.length) last.base.push(kid);
    else pairs.push({ base: [kid], text: [] });
  }
  return pairs;
}

/** The kids of a new Ruby: base and text, or only the base if it has no text. */
function toKids(tree: StructureTree, base: Pair['base'], [text, ...more]: StructureElement[]): Pair['base'] {
  for (const kid of base) if (kid instanceof StructureElement && kid.type === 'RT') kid.type = 'Span'; // a ruby text without a base
  if (!text) return base;
  if (more.length) text.replaceKids([...text.kids, ...more.flatMap(({ kids }) => kids)]);
  return [tree.create('RB', base), text];
}

function pairType([, text]: Pair['base']): string {
  return text instanceof StructureElement && text.type === 'RT' ? 'Ruby' : 'Span';
}
