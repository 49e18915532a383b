/** Reads the roles of elements, as assistive technology knows them. */
import { matches, read, readAttribute, readName } from './nodes.ts';

/**
 * Returns the first stated role. What can be focused is never presentational
 * (https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none).
 */
export function explicitRole(element: Element): string {
  const [role = ''] = (readAttribute(element, 'role') ?? '').trim().toLowerCase().split(/\s+/);
  const isNone = role === 'none' || role === 'presentation';
  if (isNone && matches(element, ':is(button, input, select, textarea):enabled, [tabindex]')) return '';
  return role === 'image' ? 'img' : role; // synonyms (WAI-ARIA 1.3)
}

/** Returns the `Role` attribute of the owner PrintField, or an empty text if the element is no field. */
export function fieldRole(element: Element): string {
  const role = explicitRole(element);
  if (role === 'button') return 'pb';
  if (role === 'radio') return 'rb';
  if (role === 'checkbox' || role === 'switch') return 'cb';
  if (role === 'textbox' || role === 'searchbox') return 'tv';
  return !role || role === 'combobox' || role === 'spinbutton' ? controlRole(element) : '';
}

function controlRole(element: Element): string {
  const [name, type] = [readName(element), read(element as HTMLInputElement, 'type')];
  if (name === 'textarea') return 'tv';
  if (name === 'button') return 'pb';
  if (name !== 'input' || type === 'hidden') return '';
  if (type === 'checkbox') return 'cb';
  if (type === 'radio') return 'rb';
  if (/^(?:submit|reset|button|image)$/.test(type)) return 'pb';
  // Chromium tags no field there, or names each part of it.
  return /^(?:range|file|color|date|time|month|week|datetime-local)$/.test(type) ? '' : 'tv';
}
