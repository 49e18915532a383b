/** Declares the parts of WebAssembly that are used, because TypeScript declares it only for browsers. */
declare namespace WebAssembly {
  type Module = object;
  function compile(bytes: Uint8Array): Promise<Module>;
}
