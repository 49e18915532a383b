/** What a browser still sends, or sends wrongly, ends its connection and never the process. */
import { PassThrough } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { Connection } from '../../src/chromium/devtools/connection.ts';

let output: PassThrough;
let connection: Connection;
beforeEach(() => {
  output = new PassThrough();
  connection = new Connection(new PassThrough().resume(), output);
});

/** Resolves when the connection has read what was written. */
async function receive(text: string): Promise<void> {
  await new Promise((resolve) => output.write(text, resolve));
}

test.each([
  ['the rest of a message', '"params":{}}\0'],
  ['the end of a message', '\0'],
  ['whole messages', '{"method":"Inspector.detached","params":{}}\0'],
])('ignores %s after it was closed', async (_name, rest) => {
  const events: string[] = [];
  connection.browser.on('Inspector.detached', () => void events.push('detached'));
  await receive('{"method":"Inspector.detached",');
  connection.close();
  await receive(rest);
  expect(events).toEqual([]);
});

test('reads no further message once a message has led to its end', async () => {
  const events: string[] = [];
  connection.browser.on('Inspector.detached', () => {
    events.push('detached');
    connection.close();
  });
  await receive('{"method":"Inspector.detached","params":{}}\0{"method":"Inspector.detached","params":{}}\0{"meth');
  expect(events).toEqual(['detached']);
});

test.each(['', '{', 'null', '1', '{"id":'])('is closed by a message that is not one: %j', async (message) => {
  const command = connection.browser.send('Browser.getVersion');
  const closed = new Promise<string>((resolve) => {
    connection.onClose = () => resolve('closed');
  });
  await receive(`${message}\0`);
  expect(await closed).toBe('closed');
  await expect(command).rejects.toThrow('the connection to the browser is closed');
});

test('ends nothing if an event of a closed connection is not waited for', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  connection.close();
  const event = connection.browser.next('Inspector.detached');
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  await expect(event).rejects.toThrow('the connection to the browser is closed');
});
