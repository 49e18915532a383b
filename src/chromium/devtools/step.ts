/** Waits for work, and rejects when its render fails or exceeds its deadline. */
export type Step = <T>(work: Promise<T>) => Promise<T>;
