/** Waits until the page has run its waiting tasks. */
import { apply, type Call, getOwnPropertyDescriptor } from '../../dom/built-ins.ts';

/** Returns a function that resolves when the page has run its waiting tasks. It opens a channel only when it is called. */
export function createTaskQueue({ Promise: NativePromise }: { Promise: PromiseConstructor }): () => Promise<void> {
  const Channel = MessageChannel;
  const { postMessage } = MessagePort.prototype;
  const onMessage = getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')?.set as Call;
  const waiting: Array<() => void> = [];
  let port: object | undefined;
  const open = () => {
    const { port1, port2 } = new Channel();
    apply(onMessage, port1, [() => waiting.shift()?.()]);
    return port2;
  };
  return () =>
    new NativePromise((resolve) => {
      port ??= open();
      waiting.push(resolve);
      apply(postMessage as Call, port, [0]);
    });
}
