/** Stands in for uploads in tests whose items are not uploaded. */
export const NO_UPLOADS = {
  readReports: async () => new Map(),
  async enqueue(): Promise<void> {
    throw new Error('nothing here is uploaded');
  },
};
