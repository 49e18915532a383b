/** An assembly waits for no part longer than its time limit. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import { assembleFile } from '../../src/render/assembly/assemble.ts';

test('a storage that stops sending a stored part', async () => {
  const content = new Readable({ read() {} });
  content.push('%PDF-1.7');
  const documents = { find: async () => ({ id: 'doc_0', filename: 'doc_0.pdf', bytes: 100 }), read: async () => content };
  const request = { parts: [{ from: { documentId: 'doc_0' } }], steps: [], signatures: [] };
  using deadline = new Deadline(100);
  const circumstances = { services: { documents }, principal: { keyId: 'key_0' }, deadline, hold() {} };

  const error = await assembleFile(request as never, circumstances as never).catch((error: unknown) => error);

  expect(error).toMatchObject({ code: 'render_timeout', message: expect.stringMatching(/^parts\[0\]: /) });
  expect(content.destroyed).toBe(true);
});
