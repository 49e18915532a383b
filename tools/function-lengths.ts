/** Prints the lengths of the functions in `src`, from the signature to the last line: `npx node tools/function-lengths.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FOLDER = process.argv[2] ?? 'src';
const LONGEST_SHOWN = 5;

const lengths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .flatMap((path) => functionsOf(join(FOLDER, path)))
  .sort((a, b) => a.lines - b.lines);
const at = (share: number) => lengths[Math.floor(share * (lengths.length - 1))]?.lines;
const longest = lengths.slice(-LONGEST_SHOWN).map(({ lines, where }) => `${lines} ${where}`);
const { log } = console;
log(`${lengths.length} functions: median ${at(0.5)}, 90th percentile ${at(0.9)} lines. The longest:\n${longest.join('\n')}`);

/** Returns the functions with a body in braces. Short arrow functions with an expression would distort the median. */
function functionsOf(path: string): Array<{ lines: number; where: string }> {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const found: Array<{ lines: number; where: string }> = [];
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    const { body } = node as ts.FunctionLikeDeclaration;
    if (ts.isFunctionLike(node) && body && ts.isBlock(body)) {
      const start = lineOf(node.getStart(file));
      found.push({ lines: lineOf(node.end) - start + 1, where: `${path}:${start}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
