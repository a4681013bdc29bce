/** The catalogues: a problem in one is named, and a language is one file. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { signInPage } from '../../../../src/http/views/sign-in.ts';
import { catalogueOf, type Messages, messagesIn, parsed } from '../../../../src/http/words/catalogue.ts';
import { LANGUAGES, languagesIn } from '../../../../src/http/words/languages.ts';
import { wordsArguments } from '../../../../src/review/words-arguments.ts';
import { ENGLISH } from '../../../support/look.ts';

const FOLDER = new URL('../../../../src/http/words/', import.meta.url).pathname;
const read = (tag: string): Messages => messagesIn(readFileSync(join(FOLDER, `${tag}.json`), 'utf8'));
const english = read('en');

describe.each(LANGUAGES)('%s', (tag) => {
  const own = read(tag);

  it('has every message, with the arguments that English has, and no other', () => {
    expect(catalogueOf(tag, own, english).problems).toEqual([]);
    expect([...own.keys()]).toEqual([...english.keys()]);
  });

  it('has letters in each message, and no space around it', () => {
    for (const [key, message] of own) {
      expect(message.trim(), key).toBe(message);
      expect(message, key).toMatch(/\p{L}/u);
    }
  });

  it('has no sentence of another language', () => {
    // Some words are the same, such as “Name”; no sentence is.
    const others = LANGUAGES.filter((other) => other !== tag).map(read);
    const same = [...own].filter(
      ([key, message]) => /\s/.test(message) && others.some((of) => of.get(key) === message),
    );
    expect(same.map(([key]) => key)).toEqual([]);
  });
});

it('describes no message that English does not have', () => {
  const described = Object.keys(JSON.parse(readFileSync(join(FOLDER, 'en.json'), 'utf8')) as object).flatMap((key) =>
    key.startsWith('@') ? [key.slice(1)] : [],
  );
  expect(described.length).toBeGreaterThan(20);
  expect(described.filter((key) => !english.has(key))).toEqual([]);
});

it('the arguments of the words are generated from the English catalogue', () => {
  for (const { path, text } of wordsArguments()) {
    expect(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')).toBe(text);
  }
});

describe('a language', () => {
  const few = new Map([
    ['page.title', 'Allow {client}?'],
    ['page.left', '{count, plural, one {One code is left.} other {# codes are left.}}'],
    ['page.back', 'Back'],
  ]);
  const polish = new Map([
    ['page.title', 'Zezwolić {client}?'],
    [
      'page.left',
      '{count, plural, one {Został # kod.} few {Zostały # kody.} many {Zostało # kodów.} other {Zostało # kodu.}}',
    ],
    ['page.back', 'Wstecz'],
  ]);
  type Page = { title: (of: { client: string }) => string; left: (of: { count: number }) => string; back: string };
  const pageIn = (messages: Messages): Page & { readonly problems: readonly string[] } => {
    const { words, problems } = catalogueOf('pl', messages, few);
    return { ...(words as unknown as { page: Page }).page, problems };
  };

  it('has the plural forms and the numbers of that language', () => {
    const { left, title, back, problems } = pageIn(polish);
    expect(problems).toEqual([]);
    expect([1, 2, 5, 12_000].map((count) => left({ count }))).toEqual([
      'Został 1 kod.',
      'Zostały 2 kody.',
      'Zostało 5 kodów.',
      'Zostało 12\u00a0000 kodów.',
    ]);
    expect([title({ client: '<b>' }), back]).toEqual(['Zezwolić <b>?', 'Wstecz']);
  });

  it.each([
    ['page.back', null, 'pl: page.back: expected a message for "Back", found none'],
    ['page.back', 'Wstecz {client}', 'pl: page.back: expected no arguments, found {client}'],
    ['page.title', 'Zezwolić {klient}?', 'pl: page.title: expected the arguments {client}, found {klient}'],
    ['page.title', 'Zezwolić?', 'pl: page.title: expected the arguments {client}, found no {client}'],
    ['page.title', '{client, number}', 'pl: page.title: expected {client} as text, found it as a number'],
    [
      'page.title',
      'Zezwolić {client?',
      'pl: page.title: expected an ICU message, found "Zezwolić {client?" (MALFORMED_ARGUMENT)',
    ],
    [
      'page.title',
      '{client, date}',
      'pl: page.title: expected text, numbers, plurals and selects; a page gives dates and times as text',
    ],
    [
      'page.left',
      '{count, plural, one {# kod} other {# kodu}}',
      'pl: page.left: expected each plural form of {count}, found no many, no few',
    ],
    ['page.other', 'Inne', 'pl: page.other: expected a key of English, found one that it does not have'],
  ])(
    'with %s = %j: a problem names language, key and expectation, and the page shows English there',
    (key, message, problem) => {
      const messages = new Map(polish);
      if (message === null) messages.delete(key);
      else messages.set(key, message);
      const { title, left, back, problems } = pageIn(messages);
      expect(problems).toEqual([problem]);
      const shown = { 'page.title': title({ client: 'x' }), 'page.left': left({ count: 2 }), 'page.back': back };
      expect(Object.values(shown).every((text) => text !== '')).toBe(true);
      if (key in shown) {
        expect(shown[key as keyof typeof shown]).toBe(
          { 'page.title': 'Allow x?', 'page.left': '2 codes are left.', 'page.back': 'Back' }[key],
        );
      }
    },
  );

  it('takes the arguments of every branch of a message', () => {
    const { takes } = parsed('en', '{count, plural, one {{name}} other {# of {place}}}');
    expect([...takes]).toEqual([
      ['count', 'number'],
      ['name', 'text'],
      ['place', 'text'],
    ]);
  });
});

describe('a file in the folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'languages-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  cpSync(join(FOLDER, 'en.json'), join(folder, 'en.json'));
  writeFileSync(join(folder, 'ar.json'), JSON.stringify({ 'signIn.title': 'تسجيل الدخول', 'signIn.tilte': 'x' }));
  const languages = languagesIn(folder);

  it('is a language: offered, chosen, shown from right to left, and in English where it has no message', async () => {
    expect(languages.tags).toEqual(['ar', 'en']);
    expect(languages.choose(['ar-EG'])).toEqual({ tag: 'ar', locale: 'ar-EG' });
    const { words, direction, problems } = await languages.language('ar');
    expect(problems).toHaveLength(english.size);
    const page = signInPage(
      { ...ENGLISH, language: 'ar', direction, words },
      {
        action: '/x',
        csrf: 'x',
        clientName: null,
        username: '',
        identifiers: 'username',
        problem: { throttledSeconds: 1 },
        goOn: null,
        help: { forgot: null, signUp: null, code: null },
        botCheck: null,
      },
    );
    expect(page).toContain('<html lang="ar" dir="rtl">');
    expect(page).toContain('<h1>تسجيل الدخول</h1>');
    expect(page).toContain('Wait a second, then try again.');
  });
});
