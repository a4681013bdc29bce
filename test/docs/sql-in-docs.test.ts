/** Every query of the guides for operators, against a database with a dead token. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, it, onTestFinished } from 'vitest';
import { makeClient, makeUser, obtainTokens, refresh } from '../support/actors.ts';
import { openTestApp } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';

const textOf = (guide: string) => readFileSync(new URL(`../../docs/${guide}`, import.meta.url), 'utf8');
const queriesOf = (guide: string) =>
  [...textOf(guide).matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, query = '']) => query);
const guide = textOf('deploying.md');
const queries = queriesOf('deploying.md');

it('the documented queries answer why a token was rejected', async () => {
  const opened = await openTestDatabase('postgres');
  const test = await openTestApp(opened.database, { clock: testClock(new Date()) });
  onTestFinished(async () => {
    await test.app.close();
    await opened.close();
  });
  const client = await makeClient(test);
  const user = await makeUser(test, 'ada');
  const { accessToken, refreshToken } = await obtainTokens(test, client, user);
  test.clock.advanceSeconds(60);
  await refresh(test, client, refreshToken);
  test.clock.advanceSeconds(60);
  await refresh(test, client, refreshToken);
  test.clock.advanceSeconds(60);
  await obtainTokens(test, client, user);

  const run = (query: string) =>
    opened.database.drizzle.execute(sql.raw(query)) as Promise<unknown> as Promise<object[]>;
  const [ofAda = '', ofChain = '', perClient = '', open = ''] = queries;
  expect(queries).toHaveLength(4);

  const chains = await run(ofAda);
  expect(chains).toMatchObject([
    { state: 'active', reason: null },
    { state: 'revoked', reason: 'refresh_token_reused', client_id: client.clientId },
  ]);
  const [, died] = chains as { grant_id: string }[];
  // The one-liners of the guide, which read the grant's id off a token.
  const typed = (variables: Readonly<Record<string, string>>) => {
    const [line = ''] = guide.match(new RegExp(`^node -p .* -- "\\$${Object.keys(variables)[0]}".*$`, 'm')) ?? [];
    return execFileSync('sh', ['-c', line], {
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...variables },
      encoding: 'utf8',
    }).trim();
  };
  const { jti } = JSON.parse(typed({ ACCESS_TOKEN: accessToken }));
  expect(typed({ JTI: jti })).toBe(died?.grant_id.replaceAll('-', ''));
  // Some ids begin with a hyphen, which is no option of node.
  expect(typed({ JTI: `-${'A'.repeat(42)}` })).toBe(`f8${'0'.repeat(30)}`);
  const ofRefresh = typed({ REFRESH_TOKEN: refreshToken });
  expect(ofRefresh).toBe(died?.grant_id.replaceAll('-', ''));

  const life = await run(ofChain.replace('00000000-0000-0000-0000-000000000000', ofRefresh));
  expect(life).toMatchObject([
    { from_state: 'awaitingConsent', to_state: 'approved', machine: 'interaction' },
    { from_state: 'active', to_state: 'used', machine: 'authorizationCode' },
    { from_state: 'active', to_state: 'used', machine: 'refreshToken' },
    { from_state: 'used', to_state: 'revoked', reason: 'refresh_token_reused' },
    { machine: 'grant', from_state: 'active', to_state: 'revoked', reason: 'refresh_token_reused' },
  ]);
  expect(await run(perClient)).toMatchObject([
    { client_id: client.clientId, reason: 'refresh_token_reused', chains: '1' },
  ]);
  expect(await run(open)).toMatchObject([{ client_id: client.clientId, open_chains: '1' }]);
});

it('the documented queries answer what happened to the signing keys', async () => {
  const opened = await openTestDatabase('postgres');
  const test = await openTestApp(opened.database);
  onTestFinished(async () => {
    await test.app.close();
    await opened.close();
  });
  const [query = ''] = queriesOf('signing-keys.md');
  const rows = (await opened.database.drizzle.execute(sql.raw(query))) as unknown as object[];
  expect(rows).toHaveLength(2);
  expect(rows).toContainEqual({
    at: expect.anything(),
    signing_key_id: test.deps.keyRing.signerOf('ES256').kid,
    event: 'noKeySigns',
    from_state: 'unpublished',
    to_state: 'signing',
    reason: null,
  });
});
