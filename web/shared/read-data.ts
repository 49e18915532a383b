/** Reads the JSON text of the data of a template. */

/** Throws an error for the visitor if the text is not a JSON object. An empty text is an empty object. */
export function readData(text: string): Record<string, unknown> {
  const value = parse(text.trim() || '{}');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The data must be a JSON object, such as {"name": "Ada"}.');
  return value as Record<string, unknown>;
}

/** Undefined if it is not valid. */
export function tryReadData(text: string): Record<string, unknown> | undefined {
  try {
    return readData(text);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The data is not JSON: ${(error as Error).message}`);
  }
}
