/** No text stands in a view or a route: all of them are in the words, in each language. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../../../src/http/look.ts';
import { LANGUAGES } from '../../../../src/http/words/languages.ts';
import { lookIn } from '../../../support/look.ts';
import { samples } from '../../../support/pages.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;

/** Marks each text, so that a text without a mark is not from the catalogue. */
function marked<Value>(value: Value): Value {
  if (typeof value === 'string') return `⟦${value}⟧` as Value;
  if (typeof value === 'function') return ((...parts: unknown[]) => marked(value(...parts))) as Value;
  return Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, marked(inner)])) as Value;
}

/** The visible and spoken text of a page, without data (in ‹›) and without the catalogue's texts (in ⟦⟧). */
function unmarked(page: string): string[] {
  const spoken = [...page.matchAll(/\s(?:aria-label|title|alt|placeholder)="([^"]*)"/g)].map(([, text = '']) => text);
  const seen = page
    .replace(/<(style|script|time|code)\b[^>]*>.*?<\/\1>/gs, '')
    .replace(/<br>/g, ' ')
    .replace(/<[^>]*>/g, '');
  return [seen, ...spoken].flatMap((text) => {
    let rest = text.replace(/‹[^›]*›/g, '');
    for (let before = ''; before !== rest; ) {
      before = rest;
      rest = rest.replace(/⟦[^⟦⟧]*⟧/g, '');
    }
    return rest.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  });
}

/** Names, which are the same in each language. */
const NAMES = ['Statehouse', 'Chrome', 'Linux'];

describe.each(LANGUAGES)('in %s', async (tag) => {
  const { words, ...look } = await lookIn(tag);
  const pseudo: Look = { ...look, words: marked(words) };

  it.each(samples(words).map((sample) => [sample.name, sample] as const))('%s has no other text', (_, { html }) => {
    expect(unmarked(html(pseudo)).filter((word) => !NAMES.includes(word))).toEqual([]);
  });
});

it('the check detects a text that is not in the catalogue', () => {
  expect(
    unmarked('<html><title>⟦a⟧</title><style>x</style><p>⟦a <b>‹x›</b> ⟦c⟧ ⟧ Sign in</p><img alt="Logo">'),
  ).toEqual(['Sign', 'in', 'Logo']);
});

it('each view has a sample', () => {
  const files = readdirSync(`${ROOT}/src/http/views`, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'));
  const views = files.flatMap((file) => [
    ...readFileSync(`${ROOT}/src/http/views/${file}`, 'utf8').matchAll(/^export (?:const|function) (\w+Page)\b/gm),
  ]);
  const known = readFileSync(`${ROOT}/test/support/pages.ts`, 'utf8');
  expect(views.length).toBeGreaterThan(8);
  // Sections of a page, which another file puts into its frame.
  const sections = files.filter((file) => file.startsWith('account/'));
  expect(sections.filter((file) => !known.includes(`views/${file}'`))).toEqual([]);
  expect(views.map(([, name = '']) => name).filter((name) => !known.includes(`${name}(`))).toEqual([]);
});
