/** Formats numbers in the visitor's language. */

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}

export function milliseconds(time: number): string {
  return time < 9.95 ? `${time.toFixed(1)} ms` : `${Math.round(time).toLocaleString()} ms`;
}
