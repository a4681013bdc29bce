/** The type of the texts of pages and mails, from the English catalogue: which there are, and which arguments each takes. */
import { readFileSync } from 'node:fs';
import { type Arguments, messagesIn, parsed } from '../http/words/catalogue.ts';

const FOLDER = 'src/http/words';
const HEAD = `/** Generated from en.json by "npm run machines:build". */

/** With texts and numbers filled in. The result is plain text: views escape it for a page. */
export type Message<Texts extends string, Numbers extends string = never> = (
  values: { readonly [Name in Texts]: string } & { readonly [Name in Numbers]: number },
) => string;

`;

export function wordsTypes() {
  const english = readFileSync(new URL(`../../${FOLDER}/en.json`, import.meta.url), 'utf8');
  return [
    { path: `${FOLDER}/words.ts`, text: `${HEAD}export type Words = ${typeOf(treeOf(messagesIn(english)), '')};\n` },
  ];
}

type Tree = Map<string, Node>;
type Node = { readonly takes: Arguments } | { readonly below: Tree };

function treeOf(messages: ReadonlyMap<string, string>): Tree {
  const tree: Tree = new Map();
  for (const [key, message] of messages) {
    const parts = key.split('.');
    const last = parts.pop() as string;
    parts.reduce(within, tree).set(last, { takes: parsed('en', message).takes });
  }
  return tree;
}

function within(tree: Tree, part: string): Tree {
  const known = tree.get(part);
  if (known !== undefined && 'below' in known) return known.below;
  if (known !== undefined) throw new Error(`en: ${part} is both a text and a group of texts`);
  const below: Tree = new Map();
  tree.set(part, { below });
  return below;
}

function typeOf(tree: Tree, indent: string): string {
  const inner = `${indent}  `;
  const lines = [...tree].map(([name, node]) => {
    const type = 'below' in node ? typeOf(node.below, inner) : messageType(node.takes);
    return `${inner}readonly ${/^\w+$/.test(name) ? name : `'${name}'`}: ${type};`;
  });
  const oneLine = `{ ${lines.map((line) => line.trim().replace(/;$/, '')).join('; ')} }`;
  // As the formatter leaves it, with room for the name.
  return oneLine.length < 80 && !oneLine.includes('\n') ? oneLine : ['{', ...lines, `${indent}}`].join('\n');
}

function messageType(takes: Arguments): string {
  if (takes.size === 0) return 'string';
  const named = (kind: 'text' | 'number') =>
    [...takes]
      .flatMap(([name, of]) => (of === kind ? [`'${name}'`] : []))
      .sort()
      .join(' | ');
  const numbers = named('number');
  return `Message<${[named('text') || 'never', ...(numbers === '' ? [] : [numbers])].join(', ')}>`;
}
