/** This module is `src/templates/data-use.ts`, which `web/vite.config.ts` provides: what a dry run tells about sample data. */
declare module 'virtual:data-use' {
  export function dataUse(
    paths: readonly string[],
    data: Record<string, unknown>,
  ): {
    /** Paths of the template for which the data has no value. */
    missing: string[];
    /** Paths of values that the template does not read. */
    unused: string[];
  };
}
