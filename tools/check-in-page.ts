/**
 * Part of `npm run check`: rejects functions that are sent to a page as text and use names that do not exist there, such as
 * imports and names of their file that are not also sent. A function counts as sent if its name occurs in a list or a template.
 */
import { globSync } from 'node:fs';
import ts from 'typescript';

const FILES = process.argv.slice(2).length ? process.argv.slice(2) : globSync('src/chromium/**/*.ts');

const program = ts.createProgram(FILES, { noLib: true, noResolve: true, allowImportingTsExtensions: true, noEmit: true });
const checker = program.getTypeChecker();

for (const file of program.getSourceFiles()) {
  const sent = sentBy(file);
  for (const name of sent) {
    const body = functionNamed(file, name);
    if (body) reportForeign(body, sent);
  }
}

/** Returns the names of functions whose text the file sends. */
function sentBy(file: ts.SourceFile): Set<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    for (const part of partsOf(node)) if (ts.isIdentifier(part)) found.add(part.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function partsOf(node: ts.Node): readonly ts.Expression[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements;
  return ts.isTemplateSpan(node) ? [node.expression] : [];
}

function functionNamed(file: ts.SourceFile, name: string): ts.FunctionDeclaration | undefined {
  return file.statements.filter(ts.isFunctionDeclaration).find((each) => each.name?.text === name && each.body);
}

function reportForeign(body: ts.Node, sent: Set<string>): void {
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && isForeign(node, sent)) report(node);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
}

/** Whether the name belongs to the file and not to the page. A name that is only declared (`declare`) exists in the page. */
function isForeign(name: ts.Identifier, sent: Set<string>): boolean {
  const symbol = ts.isShorthandPropertyAssignment(name.parent)
    ? checker.getShorthandAssignmentValueSymbol(name.parent)
    : checker.getSymbolAtLocation(name);
  const [declaration] = symbol?.declarations ?? [];
  if (!declaration || ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration)) return false;
  if (ts.isImportSpecifier(declaration) || ts.isImportClause(declaration)) return true;
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const isOfFile = ts.isSourceFile(statement.parent);
  const isDeclared =
    ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword);
  return isOfFile && !isDeclared && !(ts.isFunctionDeclaration(declaration) && sent.has(name.text));
}

function report(name: ts.Identifier): void {
  const file = name.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(name.getStart());
  process.stdout.write(`${file.fileName}:${line + 1}: ${name.text} is not in the page to which this function is sent\n`);
  process.exitCode = 1;
}
