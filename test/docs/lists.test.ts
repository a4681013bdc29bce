/** Lists and numbers that the documentation repeats from the code are those of the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAIL_PLACEHOLDERS } from '../../policies/mails-schema.ts';
import { MACHINES } from '../../src/catalogue/running.ts';
import { LANGUAGES } from '../../src/http/words/languages.ts';
import { SOURCES } from '../../src/registration/sources/all.ts';
import { CLIENT_SOURCES } from '../../src/registration/sources/clients.ts';
import { underEveryPolicy, underPolicy } from '../../src/review/proof/walks.ts';
import { shippedConfiguration } from '../support/app.ts';
import { runOffline } from '../support/offline-command.ts';

const [policy] = shippedConfiguration.policies;
if (!policy) throw new Error('no policy');
const authorizations = underPolicy({ name: policy[0], ...policy[1] });

/** The output of `--help`. */
async function helpOf(...command: readonly string[]): Promise<string> {
  const { out, err } = await runOffline([...command, '--help']);
  return out + err;
}

async function commandsOf(...group: readonly string[]): Promise<readonly string[]> {
  const below = (await helpOf(...group)).split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
  return [...below.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

const SOURCE_ROWS = SOURCES.map(
  ({ name, system, reference, file, brings }) => `| \`${name}\` | [${system}](${reference}) | ${file} | ${brings} |`,
);

describe('the documentation', () => {
  it('names the shipped languages', () => {
    const nameOf = new Intl.DisplayNames('en-GB', { type: 'language' });
    const names = LANGUAGES.map((tag) => nameOf.of(tag) ?? tag).toSorted();
    const sentence = `in ${new Intl.ListFormat('en-GB').format(names)}`;
    for (const path of ['docs/branding.md', 'docs/features.md', 'CHANGELOG.md']) {
      expect(readFileSync(path, 'utf8').replaceAll('\n', ' '), path).toContain(sentence);
    }
  });

  it('has in docs/branding.md terms that each catalogue uses', () => {
    const table = readFileSync('docs/branding.md', 'utf8').split('### Terms')[1] ?? '';
    const [header = [], , ...rows] = [...table.matchAll(/^\|(.+)\|$/gm)].map(([, cells = '']) =>
      cells.split('|').map((cell) => cell.trim()),
    );
    const nameOf = new Intl.DisplayNames('en-GB', { type: 'language' });
    expect(header.toSorted()).toEqual(LANGUAGES.map((tag) => nameOf.of(tag)).toSorted());
    for (const [column, language] of header.entries()) {
      const tag = LANGUAGES.find((one) => nameOf.of(one) === language);
      const texts = readFileSync(`src/http/words/${tag}.json`, 'utf8').toLowerCase();
      for (const row of rows) expect(texts, `${tag}`).toContain(row[column]?.toLowerCase());
    }
  });

  it('lists in docs/e-mail.md each mail with its placeholders', () => {
    const table = readFileSync('docs/e-mail.md', 'utf8').split('| mail | reports or asks | placeholders |')[1] ?? '';
    const rows = [...table.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]*)\|$/gm)].map(([, mail, placeholders = '']) => [
      mail,
      [...placeholders.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    ]);
    expect(rows).toEqual(Object.entries(MAIL_PLACEHOLDERS).map(([mail, [, ...names]]) => [mail, names]));
  });

  it('lists in docs/moving-in.md the formats of users import --from', () => {
    const rows = readFileSync('docs/moving-in.md', 'utf8').match(/^\| `[a-z0-9]+` \| \[.*$/gm);
    expect(rows).toEqual(SOURCE_ROWS);
    const clients = CLIENT_SOURCES.map(({ name, file }) => `| \`${name}\` | ${file} |`);
    expect(readFileSync('docs/moving-in.md', 'utf8')).toContain(`\n${clients.join('\n')}\n\n`);
  });

  it('states in README.md the bound of the model check of codes and tokens', () => {
    const several = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
    const bounds = authorizations.bounds.map(
      ({ requests, inFlight, faults }) =>
        `${several(requests, 'request')}, ${inFlight} of them concurrent, with ${several(faults, 'fault')}`,
    );
    expect(readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ')).toContain(`(${bounds.join('; ')})`);
  });

  it('is correct that every machine has a model', () => {
    const walked = [authorizations, ...underEveryPolicy].flatMap(({ machines }) => machines);
    expect([...MACHINES.keys()].filter((name) => !walked.includes(name))).toEqual([]);
  });

  it('names tests that exist for each feature in docs/features.md', () => {
    const rows = readFileSync('docs/features.md', 'utf8').match(/^\| (?!feature |---).*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(30);
    const untested = rows.filter((row) => !/\]\(\.\.\/test\/[^)]+\)/.test(row.split(' | ').at(-1) ?? ''));
    expect(untested).toEqual([]);
  });

  it('names in docs/features.md no standard both as supported and as omitted', () => {
    const [supported = '', omitted = ''] = readFileSync('docs/features.md', 'utf8').split('## Deliberate omissions');
    const standardsIn = (text: string) => new Set(text.match(/RFC \d+/g));
    expect(standardsIn(omitted).size).toBeGreaterThan(0);
    expect([...standardsIn(omitted)].filter((standard) => standardsIn(supported).has(standard))).toEqual([]);
  });

  it('has each command in src/cli/README.md', async () => {
    const rows = readFileSync('src/cli/README.md', 'utf8').matchAll(/^\| (`[^|]+`) \|/gm);
    const named = [...rows].flatMap(([, cell = '']) => {
      const [first = '', ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      const [group, command] = first.split(' ');
      return command === undefined ? [first, ...others] : [command, ...others].map((name) => `${group} ${name}`);
    });
    const top = await commandsOf();
    const all = await Promise.all(
      top.map(async (name) => {
        const commands = await commandsOf(name);
        return commands.length === 0 ? [name] : commands.map((command) => `${name} ${command}`);
      }),
    );
    expect(named.toSorted()).toEqual(all.flat().toSorted());
  });
});
