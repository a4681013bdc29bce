/** docs/mcp.md as an operator follows it: its blocks, typed into a shell in a folder with the policies that Statehouse ships. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { openTestDatabase } from '../support/database.ts';
import { listen } from '../support/listening.ts';
import { Shell, shellBlocks } from './shell-blocks.ts';

const ROOT = join(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8');
const COMMAND = `node ${join(ROOT, 'src/cli/statehouse.js')}`;

const statementsUnder = (title: string) =>
  shellBlocks(guide)
    .filter(({ under }) => under === title)
    .flatMap((block) => block.statements);

it('the files of the guide pass the check, and the metadata say that clients may introduce themselves', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-guide-'));
  const opened = await openTestDatabase('embedded');
  onTestFinished(async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  });
  const policies = join(folder, 'policies');
  cpSync(join(ROOT, 'policies'), policies, { recursive: true });
  const shell = new Shell(folder, folder, { PATH: process.env['PATH'] ?? '', STATEHOUSE_CONFIG: policies });
  const statements = statementsUnder('Describe the MCP server');
  expect(statements).toHaveLength(4);
  for (const statement of statements.slice(0, 3)) {
    const ran = await shell.run(statement.replace('npx statehouse', COMMAND));
    expect([statement, ran.status], ran.printed).toEqual([statement, 0]);
  }
  const issuer = 'http://localhost:3000';
  const configuration = loadConfiguration(policies, issuer);
  const test = await listen(opened.database, { configuration });
  onTestFinished(() => test.app.close());
  const typed = new Shell(folder, folder, { PATH: process.env['PATH'] ?? '', STATEHOUSE_ISSUER: test.issuer });
  const { printed } = await typed.run(statements[3] ?? '');
  expect(JSON.parse(printed.slice(printed.indexOf('{')))).toMatchObject({
    client_id_metadata_document_supported: true,
    registration_endpoint: `${test.issuer}/oauth/register`,
    scopes_supported: expect.arrayContaining(['photos:read', 'photos:write', 'offline_access']),
    // Claude and Codex send the URL of their document only where it is listed.
    token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
  });

  for (const statement of statementsUnder('ChatGPT')) expect((await shell.run(statement)).status, statement).toBe(0);
  const { policies: all, registration } = loadConfiguration(policies, issuer);
  const named = [registration.metadataDocuments?.policy, registration.dynamicRegistration?.policy];
  expect(named).toEqual(['agents', 'agents']);
  expect(all.get('agents')).toEqual({ ...all.get('native-app'), tokenEndpointAudienceAccepted: true });
});

it('the documents of the guide are those with which the tests sign an end-user in', () => {
  const tested = readFileSync(join(ROOT, 'test/unit/http/client-documents.test.ts'), 'utf8');
  const rows = [...guide.matchAll(/^\| [^|]+ \| `(https:[^`]+)` \| `([^`]+)`/gm)].map(([, id = '', uri = '']) => [
    id,
    uri,
  ]);
  expect(rows).toHaveLength(4);
  for (const [id = '', uri = ''] of rows) {
    expect(tested).toContain(`'${id}'`);
    expect(tested).toMatch(new RegExp(`'${uri.replaceAll('.', '\\.').replace('PORT', '\\d+')}'`));
  }
});
