/**
 * A language is a catalogue: one JSON file, from the key of each text to its ICU message. The English catalogue defines
 * the keys (`words.ts`), and the arguments of each message (`arguments.ts`). Where another language has a problem, pages show
 * English.
 */
import { type MessageFormatElement, type PluralElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { IntlMessageFormat } from 'intl-messageformat';
import type { Words } from './words.ts';

/** From key, such as "consent.title", to ICU message. */
export type Messages = ReadonlyMap<string, string>;

/** @param json a catalogue. A key that begins with "@" describes a message to translators. */
export const messagesIn = (json: string): Messages =>
  new Map(Object.entries<string>(JSON.parse(json)).filter(([key]) => !key.startsWith('@')));

export type Kind = 'text' | 'number';

/** The arguments of a message, by name. */
export type Arguments = ReadonlyMap<string, Kind>;

type Parsed = { readonly elements: MessageFormatElement[]; readonly takes: Arguments };

/** @throws Error that names the problem of the message. */
export function parsed(tag: string, message: string): Parsed {
  const elements = elementsOf(message);
  const takes = new Map<string, Kind>();
  for (const [name, kind] of argumentsIn(tag, elements)) if (takes.get(name) !== 'number') takes.set(name, kind);
  return { elements, takes };
}

/** Texts contain no markup: "<" is a letter like any other. */
function elementsOf(message: string): MessageFormatElement[] {
  // Most messages are only text.
  if (!/[{}']/.test(message)) return [{ type: TYPE.literal, value: message }];
  try {
    return parse(message, { ignoreTag: true });
  } catch (error) {
    // The library gives only a name, such as EXPECT_ARGUMENT_CLOSING_BRACE.
    const { message: name } = error as Error;
    throw new Error(`expected an ICU message, found ${JSON.stringify(message)} (${name})`);
  }
}

function argumentsIn(tag: string, elements: readonly MessageFormatElement[]): readonly (readonly [string, Kind])[] {
  return elements.flatMap((element) => {
    switch (element.type) {
      case TYPE.literal:
      case TYPE.pound:
        return [];
      case TYPE.argument:
        return [[element.value, 'text'] as const];
      case TYPE.number:
        return [[element.value, 'number'] as const];
      case TYPE.select:
      case TYPE.plural: {
        if (element.type === TYPE.plural) hasEveryForm(tag, element);
        const kind = element.type === TYPE.plural ? 'number' : 'text';
        const inner = Object.values(element.options).flatMap(({ value }) => argumentsIn(tag, value));
        return [[element.value, kind] as const, ...inner];
      }
      default:
        throw new Error('expected text, numbers, plurals and selects; a page gives dates and times as text');
    }
  });
}

/** Each plural form of a language belongs to one of these numbers. A form for millions may be missing. */
const NUMBERS = Array.from({ length: 201 }, (_, number) => number);

function hasEveryForm(tag: string, { value, options, pluralType = 'cardinal' }: PluralElement): void {
  const rules = new Intl.PluralRules(tag, { type: pluralType });
  const missing = NUMBERS.filter((number) => !(`=${number}` in options)).map((number) => rules.select(number));
  const forms = [...new Set(missing)].filter((form) => !(form in options));
  if (forms.length > 0) throw new Error(`expected each plural form of {${value}}, found no ${forms.join(', no ')}`);
}

/** A problem names the language, the key, the expectation and the finding. */
export type Catalogue = { readonly words: Words; readonly problems: readonly string[] };

/** @param english may be the same messages. */
export function catalogueOf(tag: string, own: Messages, english: Messages): Catalogue {
  const words = {};
  const problems = [...own.keys()]
    .filter((key) => !english.has(key))
    .map((key) => `${tag}: ${key}: expected a key of English, found one that it does not have`);
  for (const [key, text] of english) {
    const expected = parsed('en', text);
    try {
      place(words, key, sayable(tag, agreeing(tag, own.get(key), expected.takes, text)));
    } catch (error) {
      problems.push(`${tag}: ${key}: ${(error as Error).message}`);
      place(words, key, sayable('en', expected));
    }
  }
  return { words: words as Words, problems };
}

/** @throws Error that names the expectation and the finding. */
function agreeing(tag: string, message: string | undefined, expected: Arguments, english: string): Parsed {
  if (message === undefined) throw new Error(`expected a message for ${JSON.stringify(english)}, found none`);
  if (typeof message !== 'string') throw new Error(`expected a text, found ${JSON.stringify(message)}`);
  const found = parsed(tag, message);
  for (const [name, kind] of found.takes) {
    const given = expected.get(name);
    if (given === undefined) throw new Error(`expected ${listed(expected)}, found {${name}}`);
    if (kind === 'number' && given === 'text') throw new Error(`expected {${name}} as text, found it as a number`);
  }
  const missing = [...expected.keys()].filter((name) => !found.takes.has(name));
  if (missing.length > 0) throw new Error(`expected ${listed(expected)}, found no {${missing.join('}, {')}}`);
  return found;
}

const listed = (takes: Arguments): string =>
  takes.size === 0 ? 'no arguments' : `the arguments {${[...takes.keys()].join('}, {')}}`;

type Values = Readonly<Record<string, string | number>>;

/** As the words have it: a text, or a function where English takes arguments. */
function sayable(tag: string, { elements, takes }: Parsed): string | ((values: Values) => string) {
  if (takes.size === 0) return elements.map((element) => ('value' in element ? element.value : '')).join('');
  let made: IntlMessageFormat | undefined;
  return (values) => {
    made ??= new IntlMessageFormat(elements, tag);
    // From texts and numbers it makes one text.
    return made.format<string>(values) as string;
  };
}

type Tree = { [part: string]: Tree | ReturnType<typeof sayable> };

function place(tree: Tree, key: string, leaf: ReturnType<typeof sayable>): void {
  const parts = key.split('.');
  const last = parts.pop() as string;
  let at = tree;
  for (const part of parts) {
    at[part] ??= {};
    at = at[part] as Tree;
  }
  at[last] = leaf;
}
