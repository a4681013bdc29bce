/** The configuration in the console: each entry with its meaning, and with its place in the files. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';
import { ISSUER } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, OPERATOR, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const FILES = {
  'claims.yaml': `scopes:
  - name: groups
    description: see your groups
    claims:
      - name: groups
        in: [id_token, userinfo]
editableByUser:
  - name: nickname
`,
  'operators.yaml': `operators:
  - grace
  - ${OPERATOR}
`,
  'branding.yaml': `organization: Example
accentColor:
  light: "#1f4fd8"
  dark: "#8fb0ff"
`,
};

let folder: string;
let opened: TestDatabase;
let test: ConsoleApp;
let operator: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'));
  cpSync('policies', folder, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database, { configuration: loadConfiguration(folder, ISSUER) });
  operator = consoleBrowser(test);
  await openPage(operator, test.operator);
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
  rmSync(folder, { recursive: true, force: true });
});

const shown = async (page: string) => (await operator.get(`/console/configuration/${page}`)).body;
const lineIn = (file: string, line: number): string =>
  readFileSync(join(folder, file), 'utf8').split('\n')[line - 1] ?? '';

describe('the configuration in the console', () => {
  it('has a page for each part, one click from the first page of the configuration', async () => {
    const { body } = await operator.get('/console/configuration');
    for (const page of ['resources', 'scopes', 'claims', 'branding', 'operators', 'signing-keys'])
      expect(body).toContain(`href="/console/configuration/${page}"`);
  });

  it.each([
    ['resources', 'resources.yaml', 'https://api.example.com'],
    ['scopes', 'resources.yaml', 'read'],
    ['scopes', 'claims.yaml', 'groups'],
    ['claims', 'claims.yaml', 'nickname'],
    ['branding', 'branding.yaml', 'organization'],
    ['branding', 'branding.yaml', 'accentColor'],
    ['signing-keys', 'signing-keys.yaml', 'algorithms'],
  ])('%s: names the line of %s with %s', async (page, file, name) => {
    const row = (await shown(page))
      .split('<tr>')
      .find((cells) => cells.includes(`<code>${file}</code>`) && cells.includes(name.replaceAll('&', '&#38;')));
    const [, line = ''] = /<code>[\w.-]+<\/code>, line (\d+)/.exec(row ?? '') ?? [];
    expect(lineIn(file, Number(line))).toContain(name);
  });

  it('says which parts no file has, and which keys are as shipped', async () => {
    expect(await shown('scopes')).toContain('part of the server');
    const branding = await shown('branding');
    expect(branding).toContain('as shipped');
    expect(branding).toContain('not in the file');
    expect(branding).toMatch(/1f4fd8/);
  });

  it('names the operators of now', async () => {
    const body = await shown('operators');
    expect(body).toContain(OPERATOR);
    expect(body).toContain('operators.yaml');
  });
});
