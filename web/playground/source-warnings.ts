/** Finds the places in a source that the warnings of its render are about. */

import { htmlLanguage } from '@codemirror/lang-html';
import type { Diagnostic } from '@codemirror/lint';
import type { SyntaxNode } from '@lezer/common';
import type { Warning } from '../shared/rendered-pdf.ts';
import { WARNING_TITLES } from '../shared/warning-titles.ts';
import { readElementName } from './element-names.ts';

interface Tag {
  name: string;
  id: string;
  /** The class by which a warning names an element without an id. */
  firstClass: string;
  from: number;
  to: number;
}

/** Each warning that knows its element is at the tag of that, once. Of several tags that it may be about, the first is marked. */
export function findWarnings(source: string, warnings: readonly Warning[]): Diagnostic[] {
  const told = warnings.filter(({ element }) => element !== undefined);
  if (!told.length) return [];
  const tags = readTags(source);
  const found = told.flatMap((warning): Diagnostic[] => {
    const [tag, ...others] = tags.filter((each) => isNamed(each, warning.element ?? ''));
    if (!tag) return [];
    const title = WARNING_TITLES[warning.kind] ?? warning.kind;
    const which = others.length ? ` (the first of ${others.length + 1} that are named so)` : '';
    return [{ from: tag.from, to: tag.to, severity: 'warning', message: `${title}: ${warning.message}${which}` }];
  });
  const once = new Map(found.map((each) => [`${each.from} ${each.message}`, each]));
  return [...once.values()].sort((one, other) => one.from - other.from);
}

function isNamed(tag: Tag, element: string): boolean {
  const named = readElementName(element);
  if (tag.name !== named?.name.toLowerCase()) return false;
  if (named.id !== undefined) return tag.id === named.id;
  return tag.id === '' && tag.firstClass === (named.firstClass ?? '');
}

function readTags(source: string): Tag[] {
  const tags: Tag[] = [];
  htmlLanguage.parser.parse(source).iterate({
    enter({ name, node }) {
      if (name !== 'OpenTag' && name !== 'SelfClosingTag') return;
      const tag = node.getChild('TagName');
      if (!tag) return;
      const attributes = new Map(node.getChildren('Attribute').map((each) => readAttribute(source, each)));
      const [firstClass = ''] = (attributes.get('class') ?? '').trim().split(/\s+/);
      const id = attributes.get('id') ?? '';
      tags.push({ name: source.slice(tag.from, tag.to).toLowerCase(), id, firstClass, from: node.from, to: node.to });
    },
  });
  return tags;
}

function readAttribute(source: string, attribute: SyntaxNode): [name: string, value: string] {
  const text = (node: SyntaxNode | null) => (node ? source.slice(node.from, node.to) : '');
  const quoted = text(attribute.getChild('AttributeValue'));
  const value = quoted ? quoted.slice(1, -1) : text(attribute.getChild('UnquotedAttributeValue'));
  return [text(attribute.getChild('AttributeName')).toLowerCase(), value];
}
