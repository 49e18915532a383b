/** A file of the visitor's as options hold it. It is read here and sent with the render alone. */
export async function readFileAs(file: File, as: 'base64' | 'data-url'): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  const address = await promise;
  return as === 'data-url' ? address : address.slice(address.indexOf(',') + 1);
}
