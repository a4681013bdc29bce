/** The pictures in the documentation are those that `npm run pictures -- --docs` makes, and the repository stays small. */
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PICTURES_IN_DOCS } from '../../.ci/pictures-in-docs.ts';
import { SAMPLE_KINDS } from '../../src/boot/mail/sample-mails.ts';
import { LANGUAGES } from '../../src/http/words/languages.ts';
import { distinctSamples } from '../support/dressed-pages.ts';
import { ENGLISH } from '../support/look.ts';

const FOLDER = join(import.meta.dirname, '../../docs/pictures');
const files = readdirSync(FOLDER);
const MAX_BYTES = 500_000;

it('each picture is made by the command, and each is there', () => {
  expect(files.toSorted()).toEqual(PICTURES_IN_DOCS.map(({ file }) => file).toSorted());
});

it('each picture is that of an existing page or mail, in an existing language', () => {
  const names = [
    ...distinctSamples(ENGLISH.words).map(({ name }) => name),
    ...SAMPLE_KINDS.map((kind) => `mail-${kind}`),
  ];
  for (const { page, language } of PICTURES_IN_DOCS) {
    expect(names).toContain(page);
    expect(LANGUAGES).toContain(language);
  }
});

it('each picture is on a page of the documentation, with a text for people who do not see it', () => {
  const pages = globSync(join(FOLDER, '../*.md')).map((path) => readFileSync(path, 'utf8'));
  const shown = pages.flatMap((page) =>
    [...page.matchAll(/!\[[^\]]{10,}\]\(pictures\/([^)]+)\)/g)].map(([, file]) => file),
  );
  expect([...new Set(shown)].toSorted()).toEqual(files.toSorted());
});

it('all of them are small', () => {
  expect(files.reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0)).toBeLessThan(MAX_BYTES);
});
