/** Declares the parts of WebAssembly that are used, because TypeScript declares it only for browsers. */
declare namespace WebAssembly {
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  function instantiate(bytes: Uint8Array): Promise<{ instance: Instance }>;
}
