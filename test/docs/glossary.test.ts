/** docs/glossary.md: its old words are absent from the code, and its terms are in alphabetical order. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GLOSSARY, OLD_WORDS, PHRASES, rowsBelow } from '../../.ci/prose/glossary.ts';

/** Every stored seal is signed over these words and this member (src/crypto/ledger-seal.ts, src/ledger/segment.ts). */
const SIGNED = /statehouse ledger stretch|\bstretch(?=[:}]|\.number)|\.stretch\b|`stretch`/g;

/** @returns the lines of a text with an old word, each with its number. */
const oldWordsIn = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, index) => {
    const words = OLD_WORDS.flatMap(({ pattern }) => [...line.matchAll(pattern)].map(([word]) => word));
    return words.length > 0 ? [`${index + 1}: ${words.join(', ')}`] : [];
  });

const TEXTS = globSync(
  ['*.md', '{src,machines,policies,drizzle,test,docs,examples,.ci,.github}/**/*.{ts,tsx,js,mjs,md,yaml,yml,sql,json}'],
  { exclude: ['**/node_modules/**', 'src/management/scalar/**'] },
).filter((file) => file !== GLOSSARY && statSync(file).isFile());

describe('the glossary', () => {
  it('names old words and terms', () => {
    expect(rowsBelow('Words that the code no longer has').map(([word]) => word)).toContain('stretch');
    expect(PHRASES.map(({ write }) => write)).toContain('receives, gets, returns');
    expect(rowsBelow('Terms').map(([term]) => term)).toContain('segment');
  });

  it('gives each term a meaning and a source', () => {
    for (const row of rowsBelow('Terms')) expect(row, row[0]).toEqual(row.filter((cell) => cell.trim() !== ''));
    for (const row of rowsBelow('Terms')) expect(row, row[0]).toHaveLength(3);
  });

  it('lists the terms in alphabetical order', () => {
    const terms = rowsBelow('Terms').map(([term = '']) => term.toLowerCase());
    expect(terms).toEqual(terms.toSorted((one, other) => (one < other ? -1 : 1)));
  });

  it.each(['const stretch = 1;', '// The ledger has two stretches.', "it('lets a Follower wait')", 'It was tidied.'])(
    'finds the old word in: %s',
    (line) => {
      expect(oldWordsIn(`first\n${line}`)).toEqual([expect.stringMatching(/^2: /)]);
    },
  );

  it.each(['const segment = 1;', 'The distance stretched.', 'untidy'])('finds no old word in: %s', (line) => {
    expect(oldWordsIn(line)).toEqual([]);
  });

  it('reads the texts of every folder', () => {
    for (const folder of ['src', 'machines', 'policies', 'drizzle', 'test', 'docs']) {
      expect(
        TEXTS.some((file) => file.startsWith(`${folder}/`)),
        folder,
      ).toBe(true);
    }
  });

  it('has no old word in code, comments, docs and test titles', () => {
    const found = TEXTS.filter((file) => file !== 'test/docs/glossary.test.ts').flatMap((file) =>
      oldWordsIn(readFileSync(file, 'utf8').replace(SIGNED, '')).map((line) => `${file}:${line}`),
    );
    expect(found).toEqual([]);
  });
});
