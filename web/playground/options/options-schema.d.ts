/** Made by `web/vite.config.ts` out of `src/render/options-schema.ts` and `src/render/option-groups.ts`. */
declare module 'virtual:options-schema' {
  /** Titles, each with the names of its options, separated by blanks. */
  export const GROUPS: Record<string, string>;
  export const PDF_OPTIONS: { properties: Record<string, import('./option-field.ts').OptionSchema> };
}
