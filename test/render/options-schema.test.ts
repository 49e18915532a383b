/** Every option is documented: what it does, its default, an example, and what is valid where a value is wrong. */
import { expect, test } from 'vitest';
import { PdfOptions } from '../../src/render/options-schema.ts';
import { parseRenderRequest } from '../../src/render/render-request.ts';

interface Documented {
  description?: string;
  examples?: unknown[];
  expected?: string;
}

const LIMITS = { renderTimeoutMs: 30_000, maxRenderTimeoutMs: 120_000 };
const OPTIONS = Object.entries(PdfOptions.properties) as Array<[string, Documented]>;
/** Options that go with others only. */
const TOGETHER: Record<string, object> = {
  width: { height: 100 },
  height: { width: 100 },
  cookies: { baseUrl: 'https://example.com/' },
  extraHTTPHeaders: { baseUrl: 'https://example.com/' },
  authenticate: { baseUrl: 'https://example.com/' },
};

test.each(OPTIONS)('%s', (name, { description, examples, expected }) => {
  expect(description).toMatch(/Default/);
  expect(expected).toBeTruthy();
  expect(examples?.length).toBeGreaterThan(0);
  for (const example of examples ?? []) {
    const options = { ...TOGETHER[name], [name]: example };
    expect(() => parseRenderRequest({ html: '<p>x', options }, LIMITS)).not.toThrow();
  }
});
