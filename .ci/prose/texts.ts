/**
 * The prose of a file. Markdown is prose as a whole. In TypeScript it is the comments, the messages (in what ships) and
 * the titles (in tests). In YAML it is the comments, and the texts of a scenario.
 */
import ts from 'typescript';
import { GLOSSARY } from './glossary.ts';

/** A paragraph or several, and the line on which they begin. */
export type Text = { readonly text: string; readonly line: number };

export function textsOf(file: string, source: string): readonly Text[] {
  // Its tables quote the words that are to be avoided.
  if (file === GLOSSARY) return [{ text: source.replaceAll(/^\|.*$/gm, ''), line: 1 }];
  if (file.endsWith('.md')) return [{ text: source, line: 1 }];
  if (file.endsWith('.yaml')) return textsOfYaml(source);
  return file.endsWith('.json') ? textsOfCatalogue(source) : textsOfCode(file, source);
}

/** Comments, and the title and the folded text of a scenario. */
function textsOfYaml(source: string): readonly Text[] {
  return [...source.matchAll(/(?:^ *#.*\n)+|^(?:title: .*|says: >-\n(?: +.*\n)+)/gm)].map(({ 0: text, index }) => ({
    text: text.replaceAll(/^(?: *# ?(?:yaml-language-server.*)?|title: |says: >-| +)/gm, ''),
    line: source.slice(0, index).split('\n').length,
  }));
}

/** A catalogue has one message on each line. */
const textsOfCatalogue = (source: string): readonly Text[] =>
  source.split('\n').flatMap((line, index) => {
    const [, text] = /^ {2}"[^@"]+": "(.*)",?$/.exec(line) ?? [];
    return text === undefined ? [] : [{ text: text.replaceAll(String.raw`\n`, '  '), line: index + 1 }];
  });

function textsOfCode(file: string, source: string): readonly Text[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line + 1;
  const isProse = file.startsWith('test/') ? isTitle : isMessage;
  const texts: Text[] = [];
  const literals: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    const words = wordsOf(node);
    if (words !== null || ts.isRegularExpressionLiteral(node)) literals.push(node);
    if (words !== null && isProse(node, words)) texts.push({ text: words, line: lineOf(node.getStart(tree)) });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...texts, ...commentsOf(blanked(source, tree, literals), lineOf)];
}

/** A text in quotes; what is filled into it stands as one word. */
function wordsOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('');
}

const TESTS = /^(?:it|test|describe)\b/;

/** The first argument of `it`, `test` or `describe`, also with `.each(…)`. */
const isTitle = ({ parent }: ts.Node & { parent: ts.Node }, _words: string): boolean =>
  ts.isCallExpression(parent) && TESTS.test(parent.expression.getText());

/** Four words and more, which are for people: no SQL, no HTML, no other language. */
const isMessage = ({ parent }: ts.Node, words: string): boolean =>
  !ts.isTaggedTemplateExpression(parent) &&
  !ts.isImportDeclaration(parent) &&
  words.trim().split(/\s+/).length >= 4 &&
  !/[<>{};=]|\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|select|insert into|update|delete from)\b/.test(words);

/** The same length, without what looks like a comment in a text. */
function blanked(source: string, tree: ts.SourceFile, literals: readonly ts.Node[]): string {
  let rest = source;
  for (const literal of literals) {
    const [from, to] = [literal.getStart(tree), literal.getEnd()];
    rest = rest.slice(0, from) + rest.slice(from, to).replaceAll(/[/*]/g, ' ') + rest.slice(to);
  }
  return rest;
}

const COMMENT = /\/\*(?<block>[\s\S]*?)\*\/|(?:\/\/.*\n?\s*)+/g;
/** For a tool, and not for people. */
const DIRECTIVE = /biome-ignore|@vite-ignore|@ts-|c8 ignore|Stryker/;

const commentsOf = (source: string, lineOf: (position: number) => number): readonly Text[] =>
  [...source.matchAll(COMMENT)].flatMap(({ 0: whole, index, groups }) => {
    if (DIRECTIVE.test(whole)) return [];
    const text = groups?.['block'] ?? whole;
    const lines = text.split('\n').map((line) => line.replace(/^\s*(?:\*+|\/\/) ?/, ''));
    return paragraphs(lines, lineOf(index));
  });

/** Each tag of a block begins a paragraph: `@param` and the name go, and the words stay. */
function paragraphs(lines: readonly string[], first: number): readonly Text[] {
  const starts = [0, ...lines.flatMap((line, index) => (/^\s*@\w/.test(line) && index > 0 ? [index] : []))];
  return starts.map((start, place) => ({
    text: lines
      .slice(start, starts[place + 1])
      .join('\n')
      .replace(/^\s*@(?:param \S+|\w+)/, ''),
    line: first + start,
  }));
}
