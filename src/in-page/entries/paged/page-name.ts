/** Tells the names of pages, which elements have by the CSS property `page`. */
import { MAX_PAGED_TEXT } from '../../contract/paged.ts';
import { read } from '../../dom/nodes.ts';
import { readProperty } from './styled-elements.ts';

/** The name of the pages of an element, which may be that of an element around it. */
export function nameOf(element: Element): string {
  for (let around: Element | null = element; around; around = read(around, 'parentElement')) {
    const name = readProperty(around, 'page');
    if (name !== 'auto') return name.slice(0, MAX_PAGED_TEXT);
  }
  return '';
}
