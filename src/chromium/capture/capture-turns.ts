/** Lets a browser take one screenshot at a time: its main process encodes them, and every page waits for it. */
export class CaptureTurns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all that came before it, whether that succeeded or failed. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
