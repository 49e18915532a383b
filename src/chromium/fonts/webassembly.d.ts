/** What is used of it: TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  function instantiate(bytes: Uint8Array): Promise<{ instance: Instance }>;
}
