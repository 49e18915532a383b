/** Declares the parts of WebAssembly that are used, because TypeScript declares it only for browsers. */
declare namespace WebAssembly {
  type Module = object;
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(bytes: Uint8Array): Promise<{ instance: Instance }>;
}
