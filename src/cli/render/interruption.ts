/** Turns Ctrl-C and SIGTERM into an AbortSignal: the first one aborts the work, the second one ends the process at once. */

export function interruption(): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return { signal: controller.signal, done: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt) };
}
