/** Collects the regular expressions of source files: literals, those that are built from texts, and patterns of schemas. */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

export interface FoundExpression {
  /** The file and line. */
  where: string;
  source: string;
  flags: string;
}

/** Stands for a part of an expression that is known only when the code runs. It is also the name of a script. */
const UNKNOWN = 'Han';

export function regularExpressions(patterns: string[]): FoundExpression[] {
  const files = globSync(patterns, { exclude: ['web/dist/**'] }).map((path) =>
    ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true),
  );
  const constants = new Map(files.flatMap((file) => [...constantsOf(file)]));
  return files.flatMap((file) => [...expressionsIn(file, new Map([...constants, ...constantsOf(file)]))]);
}

type Constants = ReadonlyMap<string, ts.Expression>;

function nodesOf(file: ts.SourceFile): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return nodes;
}

function* constantsOf(file: ts.SourceFile): Generator<[string, ts.Expression]> {
  for (const node of nodesOf(file))
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      yield [node.name.text, node.initializer];
}

function* expressionsIn(file: ts.SourceFile, constants: Constants): Generator<FoundExpression> {
  for (const node of nodesOf(file)) {
    const [source, flags = ''] = expressionAt(node, constants) ?? [];
    if (source === undefined) continue;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    yield { where: `${file.fileName}:${line + 1}`, source, flags };
  }
}

function expressionAt(node: ts.Node, constants: Constants): [source: string, flags?: string] | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return [node.text.slice(1, end), node.text.slice(end + 1)];
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') {
    const [source, flags] = (node.arguments ?? []).map((argument) => textOfExpression(argument, constants));
    return [source ?? UNKNOWN, flags ?? ''];
  }
  const isPattern = ts.isPropertyAssignment(node) && /^'?(?:x-)?pattern'?$/.test(node.name.getText());
  return isPattern ? [textOfExpression(node.initializer, constants)] : undefined;
}

/** The text that an expression evaluates to, with `UNKNOWN` for what is not constant. */
function textOfExpression(node: ts.Expression, constants: Constants): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return (
      node.head.text + node.templateSpans.map((span) => textOfExpression(span.expression, constants) + span.literal.text).join('')
    );
  const constant = ts.isIdentifier(node) ? constants.get(node.text) : memberOf(node, constants);
  return constant && constant !== node ? textOfExpression(constant, constants) : UNKNOWN;
}

function memberOf(node: ts.Expression, constants: Constants): ts.Expression | undefined {
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  let object = constants.get(node.expression.getText());
  while (object && (ts.isAsExpression(object) || ts.isSatisfiesExpression(object))) object = object.expression;
  if (!object || !ts.isObjectLiteralExpression(object)) return undefined;
  const member = object.properties.find((each) => each.name?.getText() === node.name.text);
  return member && ts.isPropertyAssignment(member) ? member.initializer : undefined;
}
