/** `npm run check:prose`: each rule finds its words in docs, comments, messages and titles, and the budget only falls. */
import { describe, expect, it } from 'vitest';
import { excess, folderOf, lowered, tally } from '../../.ci/prose/budget.ts';
import { findingsIn } from '../../.ci/prose/findings.ts';
import { PHRASES, rowsBelow } from '../../.ci/prose/glossary.ts';
import { RULES } from '../../.ci/prose/rules.ts';

/** As the glossary has them: this file is read too. */
const [[OLD = '', NEW = ''] = []] = rowsBelow('Words that the code no longer has');
const LONG = `The server rejects a request ${'of a client that has lost its registration and '.repeat(4)}answers with an error.`;

/** A file that was seeded with one finding for each rule, and more where a rule is wide. */
const MARKDOWN = `# Deliveries

A ${OLD} has each event. The user is
told the outcome. There is nobody to register, and \`a ${OLD}\` in code is no finding.

What comes first goes to the database. What does the server do? It answers.

${LONG}
`;

const CODE = `/**
 * Waits for the ${OLD}.
 * @param key what the caller is told
 */
// There is no such row,
// as somebody said.
export const url = 'https://a.example/*${OLD}*/ nobody'; // biome-ignore lint: nobody
const pattern = /nobody \\/\\* at once/;
throw new Error(\`expected an \${url}, but nobody is there\`);
const sql = 'SELECT nobody FROM users WHERE id = 1';
`;

const TESTS = `it('is told nobody at once', () => expect('nobody reads this text here').toBe(1));
describe.each([1])('What comes first is sent', () => {});
`;

const found = async (file: string, source: string) =>
  (await findingsIn(file, source)).map(({ line, rule, message }) => `${line}: ${rule}: ${message}`);

describe('the rules', () => {
  it('each find something in a file that was seeded', async () => {
    const rules = new Set((await findingsIn('docs/seeded.md', MARKDOWN)).map(({ rule }) => rule));
    expect([...rules].toSorted()).toEqual(RULES.map(({ ruleId }) => ruleId).toSorted());
  });

  it('read Markdown, across its lines and without its code', async () => {
    expect(await found('docs/seeded.md', MARKDOWN)).toEqual([
      `3: old-word: write "${NEW}" instead of "${OLD}"`,
      '3: phrase: write "receives, gets, returns" instead of "is told"',
      '4: phrase: write "no user, no row" instead of "There is nobody"',
      '4: phrase: write "the end-user, the client, no user" instead of "nobody"',
      '6: noun-subject: begin with a noun instead of "What …"',
      expect.stringMatching(
        /^8: sentence-length: sentence length\(\d+\) exceeds the maximum sentence length of 150\.$/,
      ),
    ]);
  });

  it('read comments and messages of code, and neither SQL nor directives', async () => {
    expect(await found('src/seeded.ts', CODE)).toEqual([
      '9: phrase: write "the end-user, the client, no user" instead of "nobody"',
      `2: old-word: write "${NEW}" instead of "${OLD}"`,
      '3: noun-subject: begin with a noun instead of "what …"',
      '3: phrase: write "a noun" instead of "what the caller is"',
      '3: phrase: write "receives, gets, returns" instead of "is told"',
      '5: phrase: write "not found" instead of "There is no such"',
      '6: phrase: write "the end-user, the client, no user" instead of "somebody"',
    ]);
  });

  it('read titles of tests, and no other text in them', async () => {
    expect(await found('test/seeded.test.ts', TESTS)).toEqual([
      '1: phrase: write "receives, gets, returns" instead of "is told"',
      '1: phrase: write "the end-user, the client, no user" instead of "nobody"',
      '1: phrase: write "immediately, together" instead of "at once"',
      '2: noun-subject: begin with a noun instead of "What …"',
      '2: phrase: write "a noun" instead of "What comes first is"',
    ]);
  });

  it('read the texts of pages', async () => {
    expect(await found('src/http/words/en.json', '{\n  "a.b": "Nobody knows.",\n  "c": "Fine."\n}')).toEqual([
      '2: phrase: write "the end-user, the client, no user" instead of "Nobody"',
    ]);
  });

  it.each(rowsBelow('Phrases to avoid').flatMap(([phrases = '']) => phrases.split(', ')))(
    'find each phrase of the glossary: %s',
    async (phrase) => {
      const sentence = `Then ${phrase.replace('…', 'the server')} here.`;
      expect(PHRASES.some(({ pattern }) => sentence.match(pattern) !== null)).toBe(true);
    },
  );

  it('find nothing in plain English', async () => {
    expect(await found('docs/plain.md', 'The server rejects the request. The client receives an error.\n')).toEqual([]);
  });
});

describe('the budget', () => {
  const budget = { docs: { phrase: 2, 'sentence-length': 1 }, 'src/http': { phrase: 1 } };
  const finding = (file: string, rule: string) => ({ file, rule, line: 1, message: '' });

  it('is counted per folder, two levels deep', () => {
    expect(['README.md', 'docs/a.md', 'src/http/views/a.ts'].map(folderOf)).toEqual(['.', 'docs', 'src/http']);
  });

  it('refuses more findings than there were, and any in a new folder', () => {
    const counts = tally([
      ...[1, 2, 3].map(() => finding('docs/a.md', 'phrase')),
      finding('src/http/views/a.ts', 'phrase'),
      finding('src/new/a.ts', 'noun-subject'),
    ]);
    expect(excess(budget, counts)).toEqual([
      { folder: 'docs', rule: 'phrase', count: 3, allowed: 2 },
      { folder: 'src/new', rule: 'noun-subject', count: 1, allowed: 0 },
    ]);
  });

  it('moves with a file from folder to folder, where the sum does not rise', () => {
    const counts = tally([finding('docs/a.md', 'phrase'), finding('src/new/a.ts', 'phrase')]);
    expect(lowered(budget, counts)).toEqual({ docs: { phrase: 1 }, 'src/new': { phrase: 1 } });
  });

  it('falls to the findings that are left, and never rises', () => {
    const counts = tally([
      finding('docs/a.md', 'phrase'),
      finding('src/http/a.ts', 'phrase'),
      finding('src/http/b.ts', 'phrase'),
      finding('src/http/c.ts', 'phrase'),
    ]);
    expect(lowered(budget, counts)).toEqual({ docs: { phrase: 1 }, 'src/http': { phrase: 1 } });
  });
});
