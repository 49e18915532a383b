/** Reads a file of the visitor as the value of an option. It is sent only with renders. */
export async function readFileAs(file: Blob, as: 'base64' | 'data-url'): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  const address = await promise;
  return as === 'data-url' ? address : address.slice(address.indexOf(',') + 1);
}
