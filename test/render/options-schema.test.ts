/** Every option has keywords in the schema for its description, default, examples and valid values. */
import { describe, expect, test } from 'vitest';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import type { Keywords } from '../../src/render/request/schemas/option.ts';
import { PdfOptions } from '../../src/render/request/schemas/options-schema.ts';

const LIMITS = { renderTimeoutMs: 30_000, maxRenderTimeoutMs: 120_000 };
const OPTIONS = Object.entries(PdfOptions.properties) as Array<[string, Keywords & { type?: string }]>;
/** The other options that an option requires. */
const REQUIRED_WITH: Record<string, object> = {
  width: { height: 100 },
  height: { width: 100 },
  cookies: { baseUrl: 'https://example.com/' },
  extraHTTPHeaders: { baseUrl: 'https://example.com/' },
  authenticate: { baseUrl: 'https://example.com/' },
};
/** Options whose default is left to the browser. */
const BROWSER_DEFAULTS = ['colorScheme', 'viewport', 'locale'];
/** Without what the log keeps of the options that were sent. */
function parse(options: object) {
  const { loggedOptions: _, ...request } = parseRenderRequest({ html: '<p>x', options }, LIMITS);
  return request;
}

describe.each(OPTIONS)('the option %s', (name, keywords) => {
  test('describes its effect, its valid values and its default', () => {
    expect(keywords.description).toMatch(/\.$/);
    expect(keywords.expected).toBeTruthy();
    expect('default' in keywords || 'x-default' in keywords).toBe(true);
    if (keywords.type === 'integer') expect(keywords['x-unit']).toBeTruthy();
  });

  test('has valid examples', () => {
    expect(keywords.examples?.length).toBeGreaterThan(0);
    for (const example of keywords.examples ?? []) expect(() => parse({ ...REQUIRED_WITH[name], [name]: example })).not.toThrow();
  });

  test.runIf('default' in keywords && !BROWSER_DEFAULTS.includes(name))('behaves with its default as without it', () => {
    expect(parse({ [name]: keywords.default })).toEqual(parse({}));
  });
});
