/**
 * The bodies of guards, read from the source of the machines with the types of the compiler. A guard compares facts with
 * facts: an identity inside a guard, such as `event.clientId !== 'a-client'`, is a back door that no table of outcomes shows.
 */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

export type Violation = { readonly at: string; readonly found: string };

/** The source of each file of `machines/`, by path from the root of the repository. */
export type Sources = Readonly<Record<string, string>>;

export const machineSources = (): Sources =>
  Object.fromEntries(
    globSync('machines/**/*.ts')
      .sort()
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

export type Predicate = {
  readonly file: string;
  readonly name: string;
  readonly body: string;
  /** A constant of its file that several guards share, and not a guard of a machine. */
  readonly isShared: boolean;
};

/** Every function of `machines/` whose answer is a boolean, and what breaks the law in it. */
export function readPredicates(sources: Sources): {
  readonly predicates: readonly Predicate[];
  readonly violations: readonly Violation[];
} {
  const program = programOf(sources);
  const checker = program.getTypeChecker();
  const predicates: Predicate[] = [];
  const violations: Violation[] = [];
  for (const path of Object.keys(sources)) {
    const file = program.getSourceFile(resolve(path));
    if (!file) throw new Error(`${path} is not part of the program`);
    for (const found of functionsIn(file)) {
      if (!answersBoolean(found, checker)) continue;
      predicates.push({
        file: path,
        name: nameOf(found),
        body: oneLine(found.body?.getText(file) ?? ''),
        isShared: ts.isVariableDeclaration(found.parent),
      });
      violations.push(
        ...brokenIn(found, checker).map((node) => ({
          at: `${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`,
          found: oneLine(node.getText(file)),
        })),
      );
    }
  }
  return { predicates, violations };
}

/** The compiler's errors about one file, under these sources. */
export function compilerErrors(sources: Sources, path: string): readonly string[] {
  const program = programOf(sources);
  return program
    .getSemanticDiagnostics(program.getSourceFile(resolve(path)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

/** Comparisons of facts, and how they are joined. Arithmetic is for instants and durations. */
const OPERATORS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
]);

const LIST_QUESTIONS: ReadonlySet<string> = new Set(['every', 'some', 'includes', 'length']);

/** None, or at most one. */
const COUNTS: ReadonlySet<string> = new Set(['0', '1']);

/** The parts of a predicate that are no comparison of facts: the outermost node of each. */
function brokenIn(predicate: ts.FunctionLikeDeclaration, checker: ts.TypeChecker): readonly ts.Node[] {
  const body = predicate.body;
  return body === undefined || ts.isBlock(body) ? [predicate] : visit(body);

  function visit(node: ts.Node): readonly ts.Node[] {
    if (ts.isParenthesizedExpression(node)) return visit(node.expression);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      return visit(node.operand);
    if (ts.isBinaryExpression(node)) {
      if (!OPERATORS.has(node.operatorToken.kind)) return [node];
      return [...visitOperand(node.left, node.right), ...visitOperand(node.right, node.left)];
    }
    if (ts.isPropertyAccessExpression(node)) return propertyOf(node);
    if (ts.isCallExpression(node)) return call(node);
    if (ts.isArrowFunction(node)) return ts.isBlock(node.body) ? [node] : visit(node.body);
    if (ts.isObjectLiteralExpression(node)) {
      return node.properties.every((property) => ts.isShorthandPropertyAssignment(property)) ? [] : [node];
    }
    if (isPlain(node)) return [];
    if (ts.isNumericLiteral(node)) return COUNTS.has(node.text) ? [] : [node];
    return ts.isIdentifier(node) && isParameter(node) ? [] : [node];
  }

  /** A string may stand only beside a fact whose type names every possible value. */
  function visitOperand(node: ts.Expression, other: ts.Expression): readonly ts.Node[] {
    if (!ts.isStringLiteralLike(node)) return visit(node);
    return isClosed(checker.getTypeAtLocation(other)) ? [] : [node];
  }

  function propertyOf(node: ts.PropertyAccessExpression): readonly ts.Node[] {
    if (node.questionDotToken !== undefined) return [node];
    const { text: name } = node.name;
    if (ts.isIdentifier(node.expression) && node.expression.text === 'BOUNDS') return [];
    const owner = checker.getNonNullableType(checker.getTypeAtLocation(node.expression));
    const isList = checker.isArrayLikeType(owner);
    if (isList ? !LIST_QUESTIONS.has(name) : !isRecord(owner)) return [node];
    return visit(node.expression);
  }

  function call(node: ts.CallExpression): readonly ts.Node[] {
    const { expression: asked } = node;
    if (ts.isIdentifier(asked)) {
      // Another predicate of these files, which this law reads as well.
      const [declared] = declarationOf(asked)?.declarations ?? [];
      const isPredicate = declared !== undefined && ts.isVariableDeclaration(declared);
      return isPredicate ? node.arguments.flatMap((argument) => visit(argument)) : [node];
    }
    if (!ts.isPropertyAccessExpression(asked)) return [node];
    const list = checker.getTypeAtLocation(asked.expression);
    const items = checker.getIndexTypeOfType(checker.getNonNullableType(list), ts.IndexKind.Number);
    return [
      ...propertyOf(asked),
      ...node.arguments.flatMap((argument) =>
        ts.isStringLiteralLike(argument) && items !== undefined && isClosed(items) ? [] : visit(argument),
      ),
    ];
  }

  /** Where an imported name is declared. */
  function declarationOf(node: ts.Identifier): ts.Symbol | undefined {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function isParameter(node: ts.Identifier): boolean {
    const [declared] = checker.getSymbolAtLocation(node)?.declarations ?? [];
    return declared !== undefined && (ts.isParameter(declared) || ts.isBindingElement(declared));
  }

  /** The union of some strings, and no string besides. */
  function isClosed(type: ts.Type): boolean {
    const present = checker.getNonNullableType(type);
    return (present.isUnion() ? present.types : [present]).every((each) => each.isStringLiteral());
  }
}

/** Facts of a context or an event; not the characters of a text. */
const isRecord = (type: ts.Type): boolean =>
  type.isUnionOrIntersection() ? type.types.every(isRecord) : (type.flags & ts.TypeFlags.Object) !== 0;

const isPlain = ({ kind }: ts.Node): boolean =>
  kind === ts.SyntaxKind.NullKeyword || kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;

function answersBoolean(found: ts.FunctionLikeDeclaration, checker: ts.TypeChecker): boolean {
  const signature = checker.getSignatureFromDeclaration(found);
  if (!signature) return false;
  const answer = checker.getReturnTypeOfSignature(signature);
  return (
    (answer.flags & ts.TypeFlags.BooleanLike) !== 0 || checker.isTypeAssignableTo(answer, checker.getBooleanType())
  );
}

/** Not the functions within another: they are part of its body. */
function functionsIn(root: ts.Node): readonly ts.FunctionLikeDeclaration[] {
  const found: ts.FunctionLikeDeclaration[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      found.push(node as ts.FunctionLikeDeclaration);
    } else ts.forEachChild(node, look);
  };
  look(root);
  return found;
}

function nameOf(found: ts.FunctionLikeDeclaration): string {
  if (found.name !== undefined) return found.name.getText();
  const { parent } = found;
  return ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent) ? parent.name.getText() : 'inline';
}

/** Without comments and line breaks. */
const oneLine = (text: string): string =>
  text
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const { options } = ts.parseJsonConfigFileContent(
  { ...ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, files: [], include: [] },
  ts.sys,
  process.cwd(),
);
const OPTIONS: ts.CompilerOptions = { ...options, types: [] };
const host = ts.createCompilerHost(OPTIONS, true);
/** The library of the language and the types of packages, which are the same in each program. */
const others = new Map<string, ts.SourceFile | undefined>();

function programOf(sources: Sources): ts.Program {
  const texts = new Map(Object.entries(sources).map(([path, text]) => [resolve(path), text]));
  const getSourceFile = (path: string): ts.SourceFile | undefined => {
    const text = texts.get(path);
    if (text !== undefined) return ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.ES2024 }, true);
    if (!others.has(path)) others.set(path, host.getSourceFile(path, ts.ScriptTarget.ES2024));
    return others.get(path);
  };
  return ts.createProgram([...texts.keys()], OPTIONS, { ...host, getSourceFile });
}
