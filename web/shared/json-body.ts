/** Makes the body of a request: a value in, its JSON out. Large files in `assets` are encoded once, and not copied by each request. */

/** Shorter bodies are sent as text. */
const MIN_CHARACTERS = 100_000;

type Asset = { content: string } | null;

/** A file with its content in JSON. */
const encoded = new WeakMap<object, Blob>();

export function toJsonBody(body: unknown): string | Blob {
  const { assets, ...rest } = Object(body) as { assets?: Record<string, Asset> | null };
  const files = Object.entries(assets ?? {});
  const characters = files.reduce((sum, [, file]) => sum + (file?.content.length ?? 0), 0);
  if (characters < MIN_CHARACTERS) return JSON.stringify(body);
  const members = files.flatMap(([path, file]) => [',', JSON.stringify(path), ':', encode(file)]).slice(1);
  const others = JSON.stringify(rest).slice(1, -1);
  return new Blob(['{"assets":{', ...members, '}', others && `,${others}`, '}']);
}

function encode(file: Asset): Blob | string {
  if (!file) return 'null';
  const known = encoded.get(file) ?? new Blob([JSON.stringify(file)]);
  encoded.set(file, known);
  return known;
}
