/** `Expect: 100-continue`: clients that wait with their body until they are told that it will be read. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Node would answer for itself, before anything of the request is judged. */
export function judgeExpectations(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Says that the body is wanted, if the client waits for that. */
export function sendContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** Whether the client has not been asked for its body: nobody can tell whether what it sends next is the body or a request. */
export function isUnasked(request: IncomingMessage): boolean {
  return waiting.has(request);
}
