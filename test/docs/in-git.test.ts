/** docs/in-git.md as a team follows it: its blocks, typed into a shell, against a server on its port. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../src/config/management-resource.ts';
import { openTestDatabase } from '../support/database.ts';
import { listen } from '../support/listening.ts';
import { makeBot, tokenOf, withBot } from '../support/management.ts';
import { Shell, shellBlocks } from './shell-blocks.ts';

const blocks = shellBlocks(readFileSync(new URL('../../docs/in-git.md', import.meta.url), 'utf8'));
const COMMAND = `node ${new URL('../../src/cli/statehouse.js', import.meta.url).pathname}`;

it('every command of the guide works, and the last ones change nothing', async () => {
  const opened = await openTestDatabase('embedded');
  const test = await listen(opened.database, { configuration: withBot() });
  const folder = mkdtempSync(join(tmpdir(), 'in-git-'));
  onTestFinished(async () => {
    await test.app.close();
    await opened.close();
    rmSync(folder, { recursive: true });
  });
  test.clock.set(new Date());
  await makeBot(test);
  const token = tokenOf(test, MANAGEMENT_SCOPE_NAMES);
  const shell = new Shell(folder, folder, {
    PATH: process.env['PATH'] ?? '',
    STATEHOUSE_URL: test.issuer,
    STATEHOUSE_TOKEN: token,
  });
  const printed: Record<string, string[]> = {};
  for (const { under, statements } of blocks) {
    // The token of the test stands for that of the guide.
    for (const statement of statements.filter((one) => !one.startsWith('export '))) {
      const ran = await shell.run(statement.replace('npx statehouse', COMMAND));
      expect([statement, ran.status], ran.printed).toEqual([statement, 0]);
      printed[under] = [...(printed[under] ?? []), ran.printed];
    }
  }
  expect(printed['The plan']?.[0]).toContain('2 to create, 0 to change');
  const [first = '', second = ''] = printed['The change'] ?? [];
  expect(first).toMatch(/created {2}client shop\n {2}client_secret/);
  expect(first).toContain('created  user ada');
  for (const again of [second, ...(printed['In CI'] ?? [])]) expect(again).toContain('Nothing to change');
});
