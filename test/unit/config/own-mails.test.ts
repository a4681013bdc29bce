/** mails.yaml: a text that would reach end-users with a hole in it, or without its link, is refused with its line. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changesBetween } from '../../../src/config/changes.ts';
import { configurationWarnings } from '../../../src/config/configuration-warnings.ts';
import { loadConfiguration } from '../../../src/config/load.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;

describe('mails.yaml', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-mails-'));
    cpSync(SHIPPED, folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const load = (text: string) => {
    writeFileSync(join(folder, 'mails.yaml'), text);
    return loadConfiguration(folder, 'https://as.test');
  };
  const entry = (...lines: readonly string[]) =>
    `mails:\n  - mail: reset_password\n    language: en\n${lines.map((line) => `    ${line}\n`).join('')}`;

  it('may be omitted, or be empty', () => {
    expect(loadConfiguration(SHIPPED, 'https://as.test').ownMails).toEqual([]);
    expect(load('{}').ownMails).toEqual([]);
  });

  it('has subjects, texts and buttons', () => {
    const { ownMails } = load(
      entry(
        'subject: A password for {organization}',
        'text: |',
        '  Hello {username}:',
        '',
        '  {link}',
        '',
        '  Bye.',
        'button: Choose',
      ),
    );
    expect(ownMails).toEqual([
      {
        mail: 'reset_password',
        language: 'en',
        subject: 'A password for {organization}',
        text: 'Hello {username}:\n\n{link}\n\nBye.\n',
        button: 'Choose',
      },
    ]);
  });

  it.each([
    [
      entry('subject: For {usrname}'),
      'mails.yaml:4: mails.0.subject: Expected only the placeholders {username}, {organization}, found {usrname}. Did you mean "username"?',
    ],
    [
      entry('subject: "{link}"'),
      'mails.0.subject: Expected only the placeholders {username}, {organization}, found {link}.',
    ],
    [entry('button: "{"'), 'mails.0.button: Expected only the placeholders {username}, {organization}, found a brace'],
    [
      entry('text: "Hello {browser}\\n\\n{link}"'),
      'mails.0.text: Expected only the placeholders {link}, {username}, {organization}, found {browser}.',
    ],
    [
      entry('text: Hello'),
      'mails.yaml:4: mails.0.text: Expected {link} once, as a paragraph of its own between empty lines, found no {link}.',
    ],
    [
      entry('text: "Open {link} now"'),
      'mails.0.text: Expected {link} once, as a paragraph of its own between empty lines, found {link} within',
    ],
    [entry('text: "{link}\\n\\n{link}"'), 'mails.0.text: Expected {link} once'],
    [entry('subject: "a\\nb"'), 'mails.0.subject: Expected one line of 1 to 150 characters'],
    [entry('subject: "a\\u202eb"'), 'mails.0.subject: Expected one line of 1 to 150 characters'],
    [entry('text: " "'), 'mails.0.text: Expected a text of 1 to 5000 characters'],
    [
      `${entry()}${entry().replace('mails:\n', '')}`,
      'mails.yaml:4: mails.1.mail: Expected each mail once in a language, found reset_password in en a second time.',
    ],
    ['mails: [{ mail: reset_pasword, language: en }]', 'Did you mean "reset_password"?'],
    [
      'mails: [{ mail: sign_up, language: "../en" }]',
      'mails.0.language: Expected the tag of a language, such as "en" (BCP 47)',
    ],
    [
      'mails: [{ mail: sign_up, language: en, body: x }]',
      'mails.0.body: Expected one of mail, language, subject, text, button',
    ],
  ])('rejects %j', (text, message) => {
    expect(() => load(text)).toThrow(message);
  });

  it('a language without a catalogue is a warning', () => {
    const { ownMails, ...rest } = load('mails: [{ mail: sign_up, language: pt, subject: Bem-vindo }]');
    expect(configurationWarnings({ ...rest, ownMails })).toContain(
      'mails.yaml: the server ships no language "pt" (it has ar, de, en, es, fr); its mails need src/http/words/pt.json too',
    );
    expect(configurationWarnings({ ...rest, ownMails: [] }).join()).not.toContain('mails.yaml');
  });

  it('a change is logged', () => {
    const before = load('{}');
    const after = load(entry('subject: Hi'));
    expect(changesBetween(before, after)).toEqual([{ key: 'mails.en.reset_password.subject', from: null, to: 'Hi' }]);
  });
});
