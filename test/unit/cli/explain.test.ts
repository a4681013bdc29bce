/** The history of a chain, from the rows of the real server; on both databases. */

import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/environment.ts';
import { writeRefreshToken } from '../../../src/crypto/refresh-token.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { clients, transitions, users } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import {
  exchange,
  makeClient,
  makeUser,
  obtainCode,
  obtainTokens,
  refresh,
  type TestClient,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { deleteClient, disableUser, saveClient } from '../../support/administration.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { clockAt, testClock } from '../../support/clock.ts';
import { databaseKinds, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { forgeriesOf } from '../../support/forging.ts';
import { everything, grantIdOfCode, placeOf } from '../../support/stored.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const UTC = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;

const places = databaseKinds.flatMap((kind) => ways.map((way) => [kind, way] as const));

describe.each(places)('explain, on %s, through the %s', (kind, way) => {
  let opened: TestDatabase;
  let line: CommandLine;
  let test: TestApp;
  let client: TestClient;
  let user: TestUser;
  beforeAll(async () => {
    opened = await openTestDatabase(kind);
    line = await openCommandLine(opened.database, way);
    // A month without a partition has its entries in the default one, which is never dropped.
    for (const days of [150, 100, 50]) {
      await keepLedgerPartitions(opened.database.drizzle, clockAt(new Date(Date.now() - days * DAY)));
    }
    const { issuer } = readEnvironment({});
    // Today, since the command goes by the clock of the database.
    test = await openTestApp(opened.database, { clock: testClock(), issuer, keys: line.runtime.keys });
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });
  beforeEach(async () => {
    test.clock.set(new Date(Date.now() - 60 * MINUTE));
    client = await makeClient(test);
    user = await makeUser(test);
  });
  const db = () => opened.database.drizzle;

  const run = async (args: string[], stdin = '') => {
    const before = await everything(db());
    const printed = await line.run(['explain', ...args], { stdin });
    expect(await everything(db())).toEqual(before);
    // Neither tokens nor what steers a terminal.
    for (const text of [printed.out, printed.err]) {
      expect(text).not.toMatch(/sh_rt_[\w-]{8}|sh_ac_[\w-]{8}|eyJ/);
      expect(text).not.toMatch(/[^\P{C}\n]/u);
    }
    return printed;
  };
  const explained = async (stdin: string) => {
    const { status, out, err } = await run(['-'], stdin);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    return out;
  };
  const documentOf = async (stdin: string) => JSON.parse((await run(['-', '--json'], stdin)).out);
  const rotated = async (refreshToken: string) => {
    const { json } = await refresh(test, client, refreshToken);
    if (!json.refresh_token) throw new Error(`no refresh token: ${json.error}`);
    return json.refresh_token;
  };

  it('explains a reuse: event, time, presenter, reason, and remedy', async () => {
    const { refreshToken, accessToken } = await obtainTokens(test, client, user);
    test.clock.advanceSeconds(600);
    const head = await rotated(refreshToken);
    test.clock.advanceSeconds(600);
    const at = test.clock.now().toISOString().slice(0, 19).replace('T', ' ');
    await refresh(test, client, refreshToken);
    const { grantId } = placeOf(test.keys, refreshToken);

    const { status, out } = await run([grantId]);
    expect(status).toBe(0);
    const id = client.clientId;
    expect(out).toMatch(
      new RegExp(`^grant ${grantId}\n  client +${id} \\(Test client\\)\n  end-user +${user.username} \\(sub `),
    );
    expect(out).toContain(`ended (refresh_token_reused), since ${at} UTC\n`);
    expect(out).toContain('store the new one before using it, and never refresh from two places');
    expect(out.slice(out.indexOf('what happened'))).toMatch(
      new RegExp(
        [
          '^what happened',
          `  ${UTC}  the end-user approves; ${id} gets a code \\(policy default\\)`,
          `  ${UTC}  ${id} exchanges the code: refresh token 0 is the head \\(policy default\\)`,
          `  ${UTC}  ${id} uses its refresh token: 1 is the head \\(policy default\\)`,
          `  ${at} UTC  a used refresh token is presented again; the head is 1 \\(refresh_token_reused\\); from 127.0.0.1 \\(lightMyRequest\\) \\(policy default\\)`,
          `  ${at} UTC  the whole chain ends \\(refresh_token_reused\\); from 127.0.0.1 \\(lightMyRequest\\)( \\(policy default\\))?\n$`,
        ].join('\n'),
      ),
    );
    // Every credential of the chain leads there.
    expect(await explained(`${refreshToken}\n`)).toMatch(/this one +a refresh token, used: 1 rotation ago\n/);
    expect(await explained(head)).toMatch(/this one +a refresh token, the last one of its chain\n/);
    expect(await explained(accessToken)).toMatch(/this one +an access token, expired /);
    for (const held of [refreshToken, head, accessToken, grantId])
      expect(await explained(held)).toContain(`grant ${grantId}\n`);
  });

  it('reports the scopes that the ceiling of the client withheld, at the use in question', async () => {
    const { refreshToken } = await obtainTokens(test, client, user, { scope: 'read write' });
    const { secret: _, ...registration } = client;
    await saveClient(db(), { ...registration, scope: ['read'] });
    const second = await rotated(refreshToken);
    await saveClient(db(), { ...registration, scope: null });
    await rotated(second);
    const words = (await explained(second)).split('\n').filter((text) => text.includes('uses its refresh token'));
    expect(words.map((text) => text.includes('; without write'))).toEqual([true, false]);
    const { events } = await documentOf(second);
    expect(events.map((event: { scope_withheld: string | null }) => event.scope_withheld)).toEqual([
      null,
      null,
      'write',
      null,
    ]);
  });

  it('reports an active chain: its end, and the position of a token', async () => {
    test.clock.set(new Date());
    const code = await obtainCode(test, client, user);
    expect(await explained(code.code)).toMatch(
      new RegExp(`now +active: its code waits, until ${UTC}, in .*\n +this one +its code, never exchanged\n`),
    );
    const { json } = await exchange(test, client, code);
    const first = json.refresh_token ?? '';
    const second = await rotated(first);
    expect(await explained(second)).toMatch(
      new RegExp(
        `now +active, until ${UTC}, in (30 days|29 days, .*) \\(\\d+ s\\), unless it is used before\n +this one +a refresh token, the head of its chain: the one to use next\n`,
      ),
    );
    expect(await explained(first)).toContain('used: 1 rotation ago. Presenting it again ends the chain\n');
    expect(await explained(code.code)).toContain(
      'its code, used. Presenting it again with its verifier ends the chain\n',
    );
    expect(await explained(json.access_token ?? '')).toMatch(new RegExp(`an access token, good until ${UTC}\n`));
    // To explain is not to present.
    expect((await refresh(test, client, second)).status).toBe(200);
  });

  it('prints a machine-readable form', async () => {
    const { refreshToken } = await obtainTokens(test, client, user);
    test.clock.advanceSeconds(60);
    await rotated(refreshToken);
    await refresh(test, client, refreshToken);
    const { grantId } = placeOf(test.keys, refreshToken);
    expect(await documentOf(refreshToken)).toMatchObject({
      grant_id: grantId,
      found: true,
      client: { client_id: client.clientId, client_name: 'Test client', deleted_at: null },
      user: { sub: user.id, username: user.username },
      active: false,
      reason: 'refresh_token_reused',
      ended_at: test.clock.now().toISOString(),
      presented: { place: 'used', rotations_ago: 1 },
      events: [
        { machine: 'interaction', to: 'approved' },
        { machine: 'authorizationCode', from: 'active', to: 'used', generation: 0 },
        { machine: 'refreshToken', from: 'active', to: 'used', generation: 1 },
        { machine: 'refreshToken', from: 'used', to: 'revoked', reason: 'refresh_token_reused' },
        { machine: 'grant', from: 'active', to: 'revoked', reason: 'refresh_token_reused' },
      ],
      earlier_events: 0,
      beginning_was_dropped: false,
    });
  });

  const endings: Readonly<Record<string, readonly [reason: string, how: () => Promise<unknown>, why: RegExp]>> = {
    'the client was deleted': ['client_ended', () => deleteClient(db(), client.clientId), /client was deleted/],
    'the end-user was disabled': ['user_ended', () => disableUser(db(), user.username), /disabled/],
    'the server was recovered': ['server_epoch_raised', () => raiseServerEpoch(db()), /statehouse recover/],
  };
  it.each(Object.entries(endings))('reports that %s, which no ledger entry says', async (_, [reason, end, why]) => {
    test.clock.set(new Date());
    const { refreshToken } = await obtainTokens(test, client, user);
    await end();
    const document = await documentOf(refreshToken);
    expect(document).toMatchObject({ active: false, reason, ended_at: null, why: expect.stringMatching(why) });
    expect(await explained(refreshToken)).toContain(`ended (${reason})`);
  });

  it('reports when a chain reached its idle or absolute lifetime, or a code was never exchanged', async () => {
    test.clock.set(new Date(Date.now() - 31 * DAY));
    const idle = await obtainTokens(test, client, user);
    expect(await documentOf(idle.refreshToken)).toMatchObject({
      active: false,
      reason: 'idle_end',
      ended_at: new Date(test.clock.now().getTime() + 30 * DAY).toISOString(),
    });
    const { code } = await obtainCode(test, client, user);
    expect(await documentOf(code)).toMatchObject({
      reason: 'authorization_code_expired',
      presented: { place: 'code_unused' },
    });
    // Used every 29 days, to the end.
    test.clock.set(new Date(Date.now() - 181 * DAY));
    let { refreshToken } = await obtainTokens(test, client, user);
    for (let month = 0; month < 6; month++) {
      test.clock.advanceSeconds(29 * 86_400);
      refreshToken = await rotated(refreshToken);
    }
    expect(await documentOf(refreshToken)).toMatchObject({ active: false, reason: 'absolute_end' });
    expect(await explained(refreshToken)).toMatch(
      /uses its refresh token: 1 is.*\n +… 4 more rotations\n.*: 6 is the head/,
    );
  });

  it('recognizes a token without a row in the database', async () => {
    const { refreshToken } = await obtainTokens(test, client, user);
    const place = placeOf(test.keys, refreshToken);
    const ahead = writeRefreshToken(test.keys, {
      ...place,
      generation: place.generation + 3n,
      nonce: Buffer.alloc(16, 7),
    });
    const sameGeneration = writeRefreshToken(test.keys, { ...place, nonce: Buffer.alloc(16, 7) });
    for (const one of [ahead, sameGeneration]) {
      expect(await documentOf(one)).toMatchObject({ grant_id: place.grantId, presented: { place: 'ahead' } });
      expect(await explained(one)).toContain('the database has lost commits');
    }
  });

  it('rejects tokens that are forged, garbled, of another server or of another format', async () => {
    const { refreshToken, accessToken } = await obtainTokens(test, client, user);
    const { code } = await obtainCode(test, client, user);
    const grantId = grantIdOfCode(code);
    const flipped = (text: string, at: number) => {
      const bytes = Buffer.from(text.slice(6), 'base64url');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return text.slice(0, 6) + bytes.toString('base64url');
    };
    const foreign = rootKeys(['the root secret of quite another server']);
    const cases: Readonly<Record<string, string>> = {
      [flipped(refreshToken, 76)]: 'refresh_token_forged',
      [flipped(refreshToken, 10)]: 'refresh_token_forged',
      [refreshToken.slice(0, -4)]: 'refresh_token_malformed',
      [writeRefreshToken(foreign, placeOf(test.keys, refreshToken))]: 'refresh_token_unknown_key',
      [code.slice(0, -4)]: 'authorization_code_malformed',
      hello: 'unknown_shape',
      [`\u001b[31m${'x'.repeat(2000)}`]: 'unknown_shape',
    };
    for (const [held, place] of Object.entries(cases)) {
      expect(await documentOf(held)).toEqual({ grant_id: null, presented: { place, says: expect.any(String) } });
      const out = await explained(held);
      expect(out).not.toContain(grantId);
      expect(out.length).toBeLessThan(400);
    }
    expect(await documentOf(flipped(code, 40))).toMatchObject({
      grant_id: grantId,
      presented: { place: 'not_the_code' },
    });
    for (const [what, forged] of await forgeriesOf(test, accessToken)) {
      const document = await documentOf(forged);
      expect({ what, grant: document.grant_id }).toEqual({ what, grant: null });
    }
  });

  it('recognizes the tokens of a client on its own behalf', async () => {
    test.clock.set(new Date());
    const { json } = await token(test, client, { grant_type: 'client_credentials' });
    const own = json.access_token ?? '';
    expect(await explained(own)).toMatch(
      new RegExp(`client ${client.clientId} itself .*It is good until ${UTC}\\.\n$`),
    );
    expect(await documentOf(own)).toMatchObject({ presented: { place: 'client_credentials', state: 'good' } });
    const revoked = await test.app.inject({
      method: 'POST',
      url: '/oauth/revoke',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}`,
      },
      payload: `token=${own}`,
    });
    expect(revoked.statusCode).toBe(200);
    expect(await documentOf(own)).toMatchObject({ presented: { state: 'revoked' } });
    await deleteClient(db(), client.clientId);
    expect(await documentOf(own)).toMatchObject({ presented: { state: 'client_ended' } });
    // Registered again, the client starts from zero.
    const { secret: _, ...registration } = client;
    await saveClient(db(), registration);
    expect(await documentOf(own)).toMatchObject({ presented: { state: 'client_ended' } });
    test.clock.set(new Date(Date.now() - 120 * MINUTE));
    const other = await makeClient(test);
    const { json: old } = await token(test, other, { grant_type: 'client_credentials' });
    expect(await documentOf(old.access_token ?? '')).toMatchObject({ presented: { state: 'expired' } });
  });

  it('reports that the first entries were dropped from the ledger', async () => {
    test.clock.set(new Date(Date.now() - 125 * DAY));
    let { refreshToken } = await obtainTokens(test, client, user);
    for (let month = 0; month < 4; month++) {
      test.clock.advanceSeconds(29 * 86_400);
      refreshToken = await rotated(refreshToken);
    }
    expect(await documentOf(refreshToken)).toMatchObject({ active: true, beginning_was_dropped: false });
    await keepLedgerPartitions(db(), databaseClock);
    expect(await documentOf(refreshToken)).toMatchObject({ active: true, beginning_was_dropped: true });
    expect(await explained(refreshToken)).toMatch(
      /what happened\n {2}The beginning is missing: old lines of the ledger are dropped \(ledger\.yaml\)\.\n .*: 4 is the head/s,
    );
  });

  it('relies on the ledger alone when the row is gone', async () => {
    const { refreshToken } = await obtainTokens(test, client, user);
    // As an hour after its end: lines without a row.
    const gone = randomUUID();
    const entry = { shardKey: gone, at: new Date(), event: 'presented', fromState: 'active' };
    await db()
      .insert(transitions)
      .values([
        {
          ...entry,
          machine: 'interaction',
          fromState: 'awaitingConsent',
          toState: 'approved',
          grantId: gone,
          clientId: 'shop',
        },
        {
          ...entry,
          machine: 'grant',
          toState: 'revoked',
          reason: 'revocation_requested',
          grantId: gone,
          clientId: 'shop',
        },
      ]);
    const removed = await run([gone]);
    expect(removed.out).toMatch(/client +shop\n +now +ended \(revocation_requested\), since .*; its row was removed/);
    expect(
      await documentOf(writeRefreshToken(test.keys, { ...placeOf(test.keys, refreshToken), grantId: gone })),
    ).toMatchObject({
      found: false,
      presented: { place: 'unknown' },
    });
  });

  it('omits old entries of a long history, and reports their number', async () => {
    const { refreshToken } = await obtainTokens(test, client, user);
    const { grantId } = placeOf(test.keys, refreshToken);
    await db().execute(sql`
      insert into transitions (shard_key, at, machine, grant_id, event, from_state, to_state, generation, client_id)
      select ${grantId}::uuid, now() - interval '30 minutes' + n * interval '1 second', 'refreshToken', ${grantId}::uuid, 'presented', 'active', 'used', n, 'a'
      from generate_series(1, 1200) n`);
    const { out } = await run([grantId]);
    expect(out).toContain('  202 earlier lines are in the ledger too.\n');
    expect(out.split('\n').length).toBeLessThan(20);
    const { events, earlier_events } = JSON.parse((await run([grantId, '--json'])).out);
    expect({ events: events.length, last: events.at(-1).generation, earlier_events }).toEqual({
      events: 1000,
      last: 1200,
      earlier_events: 202,
    });
  });

  it('neutralizes values that others have chosen: names, reasons, policies', async () => {
    const { refreshToken } = await obtainTokens(test, client, user);
    const { grantId } = placeOf(test.keys, refreshToken);
    const hostile = '\u001b[2J\u202eevil\u0007\nnow active';
    await db().update(clients).set({ clientName: hostile }).where(eq(clients.clientId, client.clientId));
    await db()
      .update(users)
      .set({ username: `${hostile}${randomUUID()}` })
      .where(eq(users.id, user.id));
    await db().insert(transitions).values({
      shardKey: grantId,
      at: new Date(),
      machine: hostile,
      event: hostile,
      fromState: hostile,
      toState: hostile,
      reason: hostile,
      policy: hostile,
      clientId: hostile,
      grantId,
    });
    const { out } = await run([grantId]);
    expect(out.match(/\\u\{1b\}\[2J\\u\{202e\}evil\\u\{7\}\\u\{a\}now active/g)?.length).toBeGreaterThanOrEqual(7);
  });

  it('reports an unknown grant', async () => {
    const id = randomUUID();
    for (const typed of [id, id.toUpperCase()]) {
      expect(await run([typed])).toEqual({
        status: 1,
        out: '',
        err: `No such grant: ${id}. Either it never existed, or it ended so long ago that its row and ledger are gone.\n`,
      });
    }
  });

  it('accepts no token as an argument, and does not repeat it', async () => {
    const { refreshToken, accessToken } = await obtainTokens(test, client, user);
    for (const typed of [refreshToken, accessToken, 'hello', `${randomUUID()}x`]) {
      const { status, out, err } = await run([typed]);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(
        /^Expected a grant id \(a UUID\) as the argument\.\n.*standard input.*\n {2}statehouse explain - < /,
      );
      expect(err).not.toContain(typed.slice(0, 30));
    }
    const two = await run([randomUUID(), refreshToken]);
    expect(two).toMatchObject({ status: 1, out: '' });
    expect(two.err).not.toContain(refreshToken.slice(6, 30));
  });

  it('requires standard input', async () => {
    expect(await run(['-'], '  \n')).toEqual({
      status: 1,
      out: '',
      err: 'Standard input is empty: nothing to explain.\n',
    });
    expect(await run(['-'], '\ufeff')).toMatchObject({ status: 1 });
  });

  it('continues without the policy that the client names', async () => {
    const { secret: _, ...registration } = client;
    test.clock.set(new Date());
    const { refreshToken } = await obtainTokens(test, client, user);
    await saveClient(db(), { ...registration, policy: 'nowhere' });
    expect(await explained(refreshToken)).toMatch(/now +active, until /);
  });
});
