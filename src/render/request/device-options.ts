/** Options about the device and the reader, and tags to add: the caller's options in, settings of a page out. */
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_DEVICE, type Device } from '../../chromium/devtools/emulation.ts';
import type { AddedTag } from '../../chromium/load/load-settings.ts';
import { parseUrl } from './parse-url.ts';
import type { PdfOptions } from './schemas/options-schema.ts';
import type { ValidationErrors } from './values/validation-errors.ts';

/** Returns `DEFAULT_DEVICE` itself if the options change nothing. */
export function parseDevice(options: PdfOptions, errors: ValidationErrors): Device {
  const { userAgent, viewport } = options;
  const device: Device = {
    mediaType: options.mediaType ?? 'print',
    colorScheme: options.colorScheme,
    viewport: viewport && { deviceScaleFactor: 1, ...viewport },
    locale: parseLocale(options.locale, errors),
    timezone: parseTimezone(options.timezone, errors),
    userAgent,
    javascript: options.javascript ?? true,
    transparent: options.omitBackground ?? false,
    motion: options.animations === 'run',
  };
  return isDeepStrictEqual(device, DEFAULT_DEVICE) ? DEFAULT_DEVICE : device;
}

export function parseAdded({ addStyleTag, addScriptTag, javascript = true }: PdfOptions, errors: ValidationErrors): AddedTag[] {
  if (addScriptTag !== undefined && !javascript)
    errors.add('options.addScriptTag', 'cannot be combined with options.javascript: false');
  const styles = toList(addStyleTag).map((tag, index): AddedTag => {
    const path = `options.addStyleTag[${index}].url`;
    if ('url' in tag && !javascript) errors.add(path, 'cannot be combined with options.javascript: false; send the content');
    return { element: 'style', from: parseSource(tag, path, errors) };
  });
  const scripts = toList(addScriptTag).map((tag, index): AddedTag => {
    const from = parseSource(tag, `options.addScriptTag[${index}].url`, errors);
    return { element: 'script', from, ...(tag.type && { type: tag.type }) };
  });
  return [...styles, ...scripts];
}

function parseSource(tag: { content: string } | { url: string }, path: string, errors: ValidationErrors): AddedTag['from'] {
  return 'url' in tag ? { url: parseUrl(path, tag.url, errors)?.href ?? '' } : { content: tag.content };
}

function toList<T>(given: T | T[] | undefined): T[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

function parseLocale(given: string | undefined, errors: ValidationErrors): string | undefined {
  if (given === undefined) return undefined;
  const [locale] = orUndefined(() => Intl.getCanonicalLocales(given)) ?? [];
  if (!locale) errors.add('options.locale', 'must be a language tag such as de-AT');
  return locale;
}

function parseTimezone(given: string | undefined, errors: ValidationErrors): string | undefined {
  if (given === undefined) return undefined;
  const known = orUndefined(() => new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone);
  if (!known || /^[+-]/.test(given))
    errors.add('options.timezone', 'must be a time zone of the IANA database such as Europe/Vienna');
  return given;
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
