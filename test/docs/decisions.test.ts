/** docs/decisions/README.md is the index of the records beside it: `npx vitest run test/docs/decisions.test.ts --update` writes it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../docs/decisions');
const HEADER = /^# (\d{4})\.? (.+)\n\n\*\*Status\*\*: ([^.]+(?:\.md\))?)\./;
const STATUS = /^(in force|amended|withdrawn)(?: by \[(\d{4})\]\(\2-[\w-]+\.md\))?$/;

const records = readdirSync(FOLDER)
  .filter((file) => file !== 'README.md')
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(FOLDER, file), 'utf8') }));

it('the index states whether each decision is in force', async () => {
  const rows = records.map(({ file, text }) => {
    const [, number = '', title = '', status = ''] = HEADER.exec(text) ?? [];
    expect(file, file).toMatch(new RegExp(`^${number}-[a-z0-9-]+\\.md$`));
    expect(status, file).toMatch(STATUS);
    return `| [${number}](${file}) | ${title} | ${status} |`;
  });
  const index = `# Decisions

Each record says what was decided, why, and what follows. A record that is no longer true in a part says so under "Amended". The second line of each
record is its status; this list is made of them.

| | decision | status |
|---|---|---|
${rows.join('\n')}
`;
  await expect(index).toMatchFileSnapshot(join(FOLDER, 'README.md'));
});

it('the index names only records that exist', () => {
  const files = new Set(records.map(({ file }) => file));
  for (const { file, text } of records) {
    for (const [, named = ''] of text.matchAll(/\((\d{4}-[\w-]+\.md)/g)) expect(files, file).toContain(named);
  }
});
