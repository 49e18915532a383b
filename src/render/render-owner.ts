/** The owner of a render. */
export interface RenderOwner {
  /** The isolation boundary: a page that has served one boundary never serves another. Undefined to use a page once. */
  boundary: string | undefined;
  /** The owner whose share of pages, threads and memory the render uses. */
  shareOf: string;
  /** Whether the operator renders, who may learn which settings would help. */
  isOperator?: boolean | undefined;
  /** How long pictures of failures are kept, in milliseconds. Undefined if none are wanted. */
  picturesKeptMs?: number | undefined;
}
