/** The languages of the pages: each is a file in this folder, named by its tag (BCP 47), and loaded when somebody wants it. */
import { readdirSync } from 'node:fs';
import type { Words } from './en.ts';

export type Language = {
  /** BCP 47, as in the file's name. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
};

const FILE = /^(?<tag>[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\.ts$/;
const ENGLISH = 'en';

/** By tag in lower case. */
const TAGS: ReadonlyMap<string, string> = new Map(
  readdirSync(import.meta.dirname).flatMap((name) => {
    const tag = FILE.exec(name)?.groups?.['tag'];
    return tag === undefined ? [] : [[tag.toLowerCase(), tag]];
  }),
);

/** Their tags. */
export const LANGUAGES: readonly string[] = [...TAGS.values()].sort();

export type ChosenLanguage = {
  readonly tag: string;
  /** What was asked for, with its region, such as de-CH: for dates and numbers. */
  readonly locale: string;
};

/** Without a region, dates are as in Britain: a month never reads as a day. */
const IN_ENGLISH: ChosenLanguage = { tag: ENGLISH, locale: 'en-GB' };

/**
 * Lookup of RFC 4647 §3.4: the first tag that a language is there for, whole or shortened from its end.
 * @param asked the best first; anything may stand there.
 */
export function chooseLanguage(asked: Iterable<string>): ChosenLanguage {
  for (const text of asked) {
    if (text === '*') return IN_ENGLISH;
    const locale = localeOf(text);
    const tag = locale === null ? undefined : tagFor(locale);
    if (locale === null || tag === undefined) continue;
    return locale === ENGLISH ? IN_ENGLISH : { tag, locale };
  }
  return IN_ENGLISH;
}

function tagFor(locale: string): string | undefined {
  const parts = locale.toLowerCase().split('-');
  return parts.map((_, index) => TAGS.get(parts.slice(0, parts.length - index).join('-'))).find((tag) => tag);
}

/** In its canonical form; null: no tag of a language. */
function localeOf(text: string): string | null {
  try {
    return new Intl.Locale(text).baseName;
  } catch {
    return null;
  }
}

const loaded = new Map<string, Promise<Language>>();

/** @param tag of a language that is there. */
export function languageOf(tag: string): Promise<Language> {
  const known = loaded.get(tag);
  if (known) return known;
  const loading = load(tag);
  loaded.set(tag, loading);
  return loading;
}

async function load(tag: string): Promise<Language> {
  const { words }: { readonly words: Words } = await import(/* @vite-ignore */ `./${tag}.ts`);
  return { tag, direction: directionOf(tag), words };
}

/** Scripts that are written from right to left, as far as a language of today is written in them. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

const directionOf = (tag: string): Language['direction'] =>
  RIGHT_TO_LEFT.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';
