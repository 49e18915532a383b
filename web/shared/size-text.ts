/** Formats sizes in bytes in the visitor's language. */

const SIZES: Array<[number, string]> = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
];

export function sizeText(bytes: number): string {
  const [unit, name] = SIZES.find(([size]) => bytes >= size) ?? [1, bytes === 1 ? 'byte' : 'bytes'];
  const size = bytes / unit;
  return `${size.toLocaleString(undefined, { maximumFractionDigits: size < 100 ? 1 : 0 })} ${name}`;
}
