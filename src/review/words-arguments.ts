/** The arguments of the texts of pages and mails, from the English catalogue. */
import { readFileSync } from 'node:fs';
import { type Arguments, messagesIn, parsed } from '../http/words/catalogue.ts';

const FOLDER = 'src/http/words';
const HEAD = `/** Generated from en.json by "npm run machines:build". */

/** With texts and numbers filled in. The result is plain text: views escape it for a page. */
export type Message<Texts extends string, Numbers extends string = never> = (
  values: { readonly [Name in Texts]: string } & { readonly [Name in Numbers]: number },
) => string;

/** The messages that take arguments, by key. The others are plain text. */
`;

export function wordsArguments() {
  const english = readFileSync(new URL(`../../${FOLDER}/en.json`, import.meta.url), 'utf8');
  const lines = [...messagesIn(english)].flatMap(([key, message]) => {
    const { takes } = parsed('en', message);
    return takes.size === 0 ? [] : [`  readonly '${key}': ${messageType(takes)};\n`];
  });
  return [{ path: `${FOLDER}/arguments.ts`, text: `${HEAD}export type Messages = {\n${lines.join('')}};\n` }];
}

function messageType(takes: Arguments): string {
  const named = (kind: 'text' | 'number') =>
    [...takes]
      .flatMap(([name, of]) => (of === kind ? [`'${name}'`] : []))
      .sort()
      .join(' | ');
  const numbers = named('number');
  return `Message<${[named('text') || 'never', ...(numbers === '' ? [] : [numbers])].join(', ')}>`;
}
