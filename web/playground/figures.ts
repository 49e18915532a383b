/** Numbers for people. */

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

export function bytes(count: number): string {
  if (count < 1_000) return plural(count, 'byte');
  const [size, unit] = count < 1_000_000 ? [count / 1_000, 'kB'] : [count / 1_000_000, 'MB'];
  return `${size.toLocaleString('en', { maximumFractionDigits: size < 100 ? 1 : 0 })} ${unit}`;
}

export function milliseconds(time: number): string {
  return time < 9.95 ? `${time.toFixed(1)} ms` : `${Math.round(time).toLocaleString('en')} ms`;
}
