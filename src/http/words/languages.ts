/**
 * The languages of the pages: each is a catalogue in this folder, named by its tag (BCP 47). The first page that needs
 * it loads it.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Words } from './words.ts';

export type Language = {
  /** BCP 47, as in the file's name. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
  /** The problems of its catalogue. The texts with a problem are in English. */
  readonly problems: readonly string[];
};

const FILE = /^(?<tag>[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\.json$/;
const ENGLISH = 'en';

export type ChosenLanguage = {
  readonly tag: string;
  /** As requested, with its region, such as de-CH: for dates and numbers. */
  readonly locale: string;
};

/** Without a region, dates are British: no reader takes a month for a day. */
const IN_ENGLISH: ChosenLanguage = { tag: ENGLISH, locale: 'en-GB' };

export type Languages = {
  readonly tags: readonly string[];
  /**
   * Lookup of RFC 4647 §3.4: the first tag with a language, whole or shortened from its end.
   * @param asked any texts, the best first.
   */
  readonly choose: (asked: Iterable<string>) => ChosenLanguage;
  /** @param tag of an existing language. */
  readonly language: (tag: string) => Promise<Language>;
};

/** @param folder with a catalogue of each language, English among them. */
export function languagesIn(folder: string): Languages {
  /** By tag in lower case. */
  const tags: ReadonlyMap<string, string> = new Map(
    readdirSync(folder).flatMap((name) => {
      const tag = FILE.exec(name)?.groups?.['tag'];
      return tag === undefined ? [] : [[tag.toLowerCase(), tag]];
    }),
  );
  const loaded = new Map<string, Promise<Language>>();
  return {
    tags: [...tags.values()].sort(),
    choose: (asked) => {
      for (const text of asked) {
        if (text === '*') return IN_ENGLISH;
        const locale = localeOf(text);
        const tag = locale === null ? undefined : tagFor(tags, locale);
        if (locale === null || tag === undefined) continue;
        return locale === ENGLISH ? IN_ENGLISH : { tag, locale };
      }
      return IN_ENGLISH;
    },
    language: (tag) => {
      const known = loaded.get(tag);
      if (known) return known;
      const loading = load(folder, tag);
      loaded.set(tag, loading);
      return loading;
    },
  };
}

/** The languages in this folder. */
export const { tags: LANGUAGES, choose: chooseLanguage, language: languageOf } = languagesIn(import.meta.dirname);

function tagFor(tags: ReadonlyMap<string, string>, locale: string): string | undefined {
  const parts = locale.toLowerCase().split('-');
  return parts.map((_, index) => tags.get(parts.slice(0, parts.length - index).join('-'))).find((tag) => tag);
}

/** In its canonical form. Null: the text is no tag of a language. */
function localeOf(text: string): string | null {
  try {
    return new Intl.Locale(text).baseName;
  } catch {
    return null;
  }
}

async function load(folder: string, tag: string): Promise<Language> {
  // A start without a page needs neither the library nor the texts.
  const { catalogueOf, messagesIn } = await import('./catalogue.ts');
  const read = async (of: string) => messagesIn(await readFile(join(folder, `${of}.json`), 'utf8'));
  return { tag, direction: directionOf(tag), ...catalogueOf(tag, await read(tag), await read(ENGLISH)) };
}

/** Scripts that are written from right to left, of languages that are in use. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

const directionOf = (tag: string): Language['direction'] =>
  RIGHT_TO_LEFT.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';
