/** Stands in for uploads in tests whose items are not uploaded. */
export const NO_UPLOADS = {
  async enqueue(): Promise<void> {
    throw new Error('nothing here is uploaded');
  },
};
