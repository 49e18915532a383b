/** Splits a streamed response into lines. */

/** Ends when the connection is lost. Throws only if the caller aborted. */
export async function* linesOf({ body }: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter(Boolean);
    }
  } catch (error) {
    if (signal?.aborted) throw error;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
