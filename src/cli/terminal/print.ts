/** Prints the output of subcommands: a line, JSON for programs, or a table for people. */

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Prints rows as a table. Each column is as wide as its widest cell. */
export function printTable(rows: Array<Record<string, string | null>>): void {
  const [first] = rows;
  if (!first) {
    print('none');
    return;
  }
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? '-'))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
