/** Waits for a piece of work, but no longer than the render it is for lives. */
export type Step = <T>(work: Promise<T>) => Promise<T>;
