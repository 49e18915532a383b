/** Every option is documented by keywords: description, default, examples and valid values. */
import { describe, expect, test } from 'vitest';
import type { Keywords } from '../../src/render/option.ts';
import { PdfOptions } from '../../src/render/options-schema.ts';
import { parseRenderRequest } from '../../src/render/render-request.ts';

const LIMITS = { renderTimeoutMs: 30_000, maxRenderTimeoutMs: 120_000 };
const OPTIONS = Object.entries(PdfOptions.properties) as Array<[string, Keywords & { type?: string }]>;
/** Options that are sent together with others only. */
const TOGETHER: Record<string, object> = {
  width: { height: 100 },
  height: { width: 100 },
  cookies: { baseUrl: 'https://example.com/' },
  extraHTTPHeaders: { baseUrl: 'https://example.com/' },
  authenticate: { baseUrl: 'https://example.com/' },
};
/** Their default is that of the browser, which is told nothing then. */
const OF_BROWSER = ['colorScheme', 'viewport', 'locale'];
const parse = (options: object) => parseRenderRequest({ html: '<p>x', options }, LIMITS);

describe.each(OPTIONS)('%s', (name, keywords) => {
  test('describes its effect, its valid values and its default', () => {
    expect(keywords.description).toMatch(/\.$/);
    expect(keywords.expected).toBeTruthy();
    expect('default' in keywords || 'x-default' in keywords).toBe(true);
    if (keywords.type === 'integer') expect(keywords['x-unit']).toBeTruthy();
  });

  test('has valid examples', () => {
    expect(keywords.examples?.length).toBeGreaterThan(0);
    for (const example of keywords.examples ?? []) expect(() => parse({ ...TOGETHER[name], [name]: example })).not.toThrow();
  });

  test.runIf('default' in keywords && !OF_BROWSER.includes(name))('has a default that equals sending nothing', () => {
    expect(parse({ [name]: keywords.default })).toEqual(parse({}));
  });
});
