/** The names by which warnings call elements: `p#total`, `div.main` and `table`. Apart, because a first visit loads no parser of HTML for them. */

const ELEMENT = /^([\w-]+)(?:([#.])(.+))?$/;

export interface ElementName {
  name: string;
  id: string | undefined;
  firstClass: string | undefined;
}

/** Undefined for what is no element. */
export function readElementName(element: string): ElementName | undefined {
  const [, name, kind, word] = ELEMENT.exec(element) ?? [];
  if (!name) return undefined;
  return { name, id: kind === '#' ? word : undefined, firstClass: kind === '.' ? word : undefined };
}

export function toSelector(element: string): string | undefined {
  const { name, id, firstClass } = readElementName(element) ?? {};
  if (id !== undefined) return `${name}#${CSS.escape(id)}`;
  return firstClass === undefined ? name : `${name}.${CSS.escape(firstClass)}`;
}
