/** Handles `Expect: 100-continue`, with which a client waits for permission before it sends the body. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Prevents Node from sending `100 Continue` itself before the request has been checked. */
export function handleExpectations(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Sends `100 Continue` if the client waits for it. */
export function sendContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** Whether the client still waits for `100 Continue`. Its next bytes could then be either the body or a new request. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request);
}
