/** Made by `web/vite.config.ts` out of `src/render/options-schema.ts`. */
declare module 'virtual:options-schema' {
  export const PDF_OPTIONS: { properties: Record<string, import('./option-field.ts').OptionSchema> };
}
