/** `grants list|revoke` and `sessions list|end`, on what the real server wrote. */
import { randomUUID } from 'node:crypto';
import { desc } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/environment.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { makeClient, makeUser, obtainTokens, refresh, type TestClient, type TestUser } from '../../support/actors.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { placeOf } from '../../support/stored.ts';
import { trustedBrowser } from '../../support/trusted-browser.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

describe.each(ways)('through the %s', (way) => {
  let opened: TestDatabase;
  let line: CommandLine;
  let test: TestApp;
  let client: TestClient;
  let user: TestUser;
  let other: TestUser;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    line = await openCommandLine(opened.database, way);
    const { issuer } = readEnvironment({});
    test = await openTestApp(opened.database, { clock: testClock(), issuer, keys: line.runtime.keys });
    // The commands go by the clock of the database.
    test.clock.set(new Date(Date.now() - 60_000));
    client = await makeClient(test);
    [user, other] = [await makeUser(test), await makeUser(test)];
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });

  const listed = async (...args: string[]) => JSON.parse((await line.run([...args, '--json'])).out);
  const newestLine = async () => {
    const [newest] = await opened.database.drizzle
      .select()
      .from(transitions)
      .orderBy(desc(transitions.recordedIn), desc(transitions.position))
      .limit(1);
    return newest;
  };

  describe('grants', () => {
    it('are listed by client, end-user and state, the newest first, and revoked by id', async () => {
      const first = await obtainTokens(test, client, user);
      test.clock.advanceSeconds(1);
      const second = await obtainTokens(test, client, other);
      const [firstId, secondId] = [first, second].map(({ refreshToken }) => placeOf(test.keys, refreshToken).grantId);
      const ids = async (...args: string[]) =>
        (await listed('grants', 'list', ...args)).grants.map((grant: { grant_id: string }) => grant.grant_id);
      expect(await ids('--client', client.clientId)).toEqual([secondId, firstId]);
      expect(await ids('--user', user.username)).toEqual([firstId]);
      expect(await ids('--client', client.clientId, '--state', 'ended')).toEqual([]);
      const shown = await line.run(['grants', 'list', '--client', client.clientId, '--limit', '1']);
      expect(shown).toMatchObject({ status: 0, err: 'Only the newest 1 are listed; --limit lists more.\n' });
      expect(shown.out).toMatch(
        new RegExp(`^GRANT .*\n${secondId} +${client.clientId} +${other.username} .*active until`),
      );

      const revoked = await line.run(['grants', 'revoke', firstId ?? '']);
      expect(revoked).toEqual({
        status: 0,
        out: `revoked    ${firstId}  (${client.clientId}, ${user.username})\n`,
        err: '',
      });
      expect((await refresh(test, client, first.refreshToken)).json).toMatchObject({ error: 'invalid_grant' });
      expect((await refresh(test, client, second.refreshToken)).status).toBe(200);
      expect((await line.run(['grants', 'revoke', firstId ?? ''])).out).toBe(
        `unchanged  ${firstId}  (had ended already)\n`,
      );
      expect(await listed('grants', 'list', '--client', client.clientId, '--state', 'ended')).toMatchObject({
        grants: [{ grant_id: firstId, state: 'ended', reason: 'ended_by_administrator', username: user.username }],
        more: false,
      });

      const explained = await line.run(['explain', firstId ?? '']);
      expect(explained.out).toContain('ended (ended_by_administrator)');
      expect(explained.out).toContain('An administrator ended it');
      expect(explained.out).toContain('the whole chain ends (ended_by_administrator); asked for by the command line');
      expect((await listed('explain', firstId ?? '')).events.at(-1)).toMatchObject({ actor: 'command_line' });
    });

    it.each([
      [['grants', 'revoke', randomUUID()], /^No such grant: "/],
      [['grants', 'revoke', 'sh_rt_a-secret-token'], /^Expected a grant id \(a UUID\): "statehouse grants list" shows/],
      [['grants', 'list', '--user', 'unknown'], /^No such user: "unknown"/],
      [['grants', 'list', '--client', 'nothing'], /^No such client: "nothing"/],
      [['grants', 'list', '--from', 'yesterday'], /Expected an instant such as/],
      [['grants', 'list', '--limit', '0'], /Expected a number from 1 to 10000/],
      [['grants', 'list', '--state', 'dead'], /Allowed choices are active, ended/],
      [['sessions', 'end', randomUUID()], /^No such session: "/],
      [['sessions', 'end', '%'], /^Expected a sid \(a UUID\)/],
      [['sessions', 'list', '--user', 'unknown'], /^No such user: "unknown"/],
    ])('%s is rejected with a message', async (args, words) => {
      const before = await newestLine();
      const { status, out, err } = await line.run(args);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(words);
      expect(err).not.toContain('a-secret-token');
      expect(await newestLine()).toEqual(before);
    });
  });

  describe('sessions', () => {
    it('are listed by end-user and state, and terminated with an entry that names the actor', async () => {
      const person = await makeUser(test);
      await obtainTokens(test, client, person);
      const { sessions } = await listed('sessions', 'list', '--user', person.username, '--state', 'active');
      expect(sessions).toMatchObject([{ username: person.username, sub: person.id, state: 'active', reason: null }]);
      const [{ sid }] = sessions;
      expect((await line.run(['sessions', 'list', '--user', person.username])).out).toMatch(
        new RegExp(`^SID .*\n${sid} +${person.username} .* active`),
      );
      expect((await line.run(['sessions', 'end', sid])).out).toBe(`ended      ${sid}  (${person.username})\n`);
      expect(await newestLine()).toMatchObject({
        sessionId: sid,
        reason: 'ended_by_administrator',
        actor: 'command_line',
      });
      expect(await listed('sessions', 'end', sid)).toEqual({ sid, username: person.username, outcome: 'unchanged' });
      expect((await listed('sessions', 'list', '--user', person.username)).sessions).toMatchObject([
        { sid, state: 'ended', reason: 'ended_by_administrator' },
      ]);
      expect((await line.run(['sessions', 'list', '--user', person.username, '--state', 'active'])).out).toBe(
        'No such sessions.\n',
      );
    });
  });

  describe('trusted browsers', () => {
    it('are listed and ended by their user, one or all', async () => {
      const person = await makeUser(test);
      const list = async () => (await listed('trusted-browsers', 'list', '--user', person.username)).trusted_browsers;
      expect((await line.run(['trusted-browsers', 'list', '--user', person.username])).out).toBe(
        'No trusted browsers.\n',
      );
      const [first] = [await trustedBrowser(test, person), await trustedBrowser(test, person)];
      // As shipped, the policy offers no trust.
      expect(await list()).toEqual([]);
      const end = ['trusted-browsers', 'end', '--user', person.username];
      expect((await line.run([...end, first])).out).toBe('unchanged  (the trust had ended already)\n');
      expect(await newestLine()).toMatchObject({ event: 'endRequestedByAdministrator', actor: 'command_line' });
      expect((await line.run(end)).status).toBe(0);
      expect((await line.run([...end, randomUUID()])).err).toMatch(/^No such trusted browser: "/);
      expect((await line.run([...end, 'x'])).err).toMatch(/^Expected an id \(a UUID\)/);
    });
  });
});
