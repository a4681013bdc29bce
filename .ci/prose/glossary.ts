/** docs/glossary.md as data: the old words, and the phrases to avoid. */
import { readFileSync } from 'node:fs';

export const GLOSSARY = 'docs/glossary.md';

const glossary = readFileSync(new URL(`../../${GLOSSARY}`, import.meta.url), 'utf8');

export const rowsBelow = (heading: string): readonly (readonly string[])[] =>
  (glossary.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.slice(2, -2).split(' | '));

export type Substitution = { readonly pattern: RegExp; readonly write: string };

const anyOf = (patterns: readonly string[]): RegExp => new RegExp(`\\b(?:${patterns.join('|')})\\b`, 'gi');

/** Each old word as it stands in the table, and its plural. */
export const OLD_WORDS: readonly Substitution[] = rowsBelow('Words that the code no longer has').map(
  ([words = '', write = '']) => ({ pattern: anyOf(words.split(', ').map((word) => `${word}(?:e?s)?`)), write }),
);

/** A phrase may be broken across lines; "…" stands for one to four words. */
const phrasePattern = (phrase: string): string =>
  phrase.replaceAll(/\s*…/g, String.raw`(?:\s+[\w’'-]+){1,4}`).replaceAll(/ +/g, String.raw`\s+`);

export const PHRASES: readonly Substitution[] = rowsBelow('Phrases to avoid').map(([phrases = '', write = '']) => ({
  pattern: anyOf(phrases.split(', ').map(phrasePattern)),
  write,
}));
