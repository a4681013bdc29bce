/**
 * The statement that commits a link of a mail. Each fact that it depends on changes alone between the load and the commit, and then
 * no row changes, neither a link nor the end-user nor the ledger.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { type Commit, insert, type Update, update, type Write } from '../../../src/engine/commit.ts';
import { EMAIL_CHALLENGES, type EmailChallenge, personOf } from '../../../src/lifecycles/email-challenge/entity.ts';
import type { EmailChallengeStore, LoadedEmailChallenge } from '../../../src/lifecycles/email-challenge/lifecycle.ts';
import { USERS } from '../../../src/lifecycles/user/entity.ts';
import type { RegisteredUser } from '../../../src/model/user.ts';
import { emailChallengeStore } from '../../../src/storage/email-challenges.ts';
import { emailChallenges, transitions, users } from '../../../src/storage/schema.ts';
import { insertUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { openPorts, type Ports } from './ports.ts';

type Purpose = EmailChallenge['purpose'];

/** The facts behind a commit. */
type Given = {
  readonly commit: Commit;
  readonly links: readonly EmailChallenge[];
  readonly user: RegisteredUser | null;
  readonly added?: EmailChallenge;
};

describe.each(databaseKinds)('the commit of a link on %s', (kind) => {
  let ports: Ports;
  let store: EmailChallengeStore;
  beforeAll(async () => {
    ports = await openPorts(kind);
    store = emailChallengeStore(ports.db, ports.clock, testMacs);
  });
  afterAll(() => ports.close());

  const linkTo = (purpose: Purpose, userId: string | null, address: string): EmailChallenge => ({
    id: randomUUID(),
    purpose,
    state: 'active',
    supersededReason: null,
    secretHash: randomBytes(32),
    person: personOf({ userId, address }),
    userId,
    userEpoch: userId === null ? null : 0n,
    address,
    resumption: null,
    newerLinks: 0,
    createdAt: ports.clock.now(),
    endsAt: new Date(ports.clock.now().getTime() + 60_000),
  });
  const line = (to: string) => ({
    machine: 'emailChallenge',
    event: 'used',
    from: 'active',
    to,
    reason: null,
    generation: null,
  });
  const commitOf = (...writes: readonly [Write, ...Write[]]): Commit => ({
    now: ports.clock.now(),
    requires: [],
    writes,
    entries: [line('used')],
  });
  const adding = (link: EmailChallenge): Write => insert(EMAIL_CHALLENGES, link, []);
  const send = async (link: EmailChallenge): Promise<EmailChallenge> => {
    expect(await store.commit(commitOf(adding(link)))).toBe(true);
    return link;
  };
  const moved = (link: EmailChallenge, change: Partial<EmailChallenge>): Update =>
    update(EMAIL_CHALLENGES, link, { ...link, ...change }, ['state', 'newerLinks']);
  const used = (link: EmailChallenge) => moved(link, { state: 'used' });
  const superseded = (link: EmailChallenge) =>
    moved(link, { state: 'superseded', supersededReason: 'newer_link_sent' });

  const newUser = async (): Promise<{ readonly id: string; readonly address: string }> => {
    const id = randomUUID();
    const address = `${id}@example.com`;
    const claims = { email: address, email_verified: true };
    await insertUser(ports.db, { id, username: id, passwordHash: storedPasswordHash('before'), claims });
    return { id, address };
  };
  const loaded = ({ secretHash }: EmailChallenge): Promise<LoadedEmailChallenge> =>
    store.load({ kind: 'secret', secretHash, username: null });

  /** A link changes the end-user, and another goes to the address from before. */
  const change = async (): Promise<Given> => {
    const { id, address } = await newUser();
    const link = await send(linkTo('change_address', id, 'new@example.com'));
    const other = await send(linkTo('verify_address', id, address));
    const { user, version } = await loaded(link);
    if (!user) throw new Error('no end-user was loaded');
    const before = { ...user, version };
    const after = { ...before, passwordHash: storedPasswordHash('after'), epoch: 1n };
    const added = linkTo('undo_change', id, address);
    const changed = update(USERS, before, after, ['version']);
    const commit = commitOf(used(link), superseded(other), changed, adding(added));
    return { commit, links: [link, other], user, added };
  };
  /** A link makes an account. */
  const signUp = async (): Promise<Given> => {
    const id = randomUUID();
    const link = await send(linkTo('sign_up', null, `${id}@example.com`));
    const after: RegisteredUser = {
      id,
      username: `user-${id}`,
      passwordHash: storedPasswordHash('after'),
      claims: {},
      epoch: 0n,
      disabledAt: null,
      deletedAt: null,
      importedHash: null,
      sub: null,
      signInAddress: null,
      passwordByLinkAt: null,
    };
    return { commit: commitOf(used(link), insert(USERS, after, [])), links: [link], user: after };
  };
  /** A newer link supersedes two. */
  const replacement = async (): Promise<Given> => {
    const { id, address } = await newUser();
    const one = await send(linkTo('reset_password', id, address));
    const other = await send(linkTo('verify_address', id, address));
    const added = linkTo('reset_password', id, address);
    const commit = commitOf(superseded(one), superseded(other), adding(added));
    return { commit, links: [one, other], user: null, added };
  };
  /** The first link of its purpose. */
  const first = async (): Promise<Given> => {
    const { id, address } = await newUser();
    const added = linkTo('reset_password', id, address);
    return { commit: commitOf(adding(added)), links: [], user: null, added };
  };

  const stored = async () => ({
    links: await ports.db.select().from(emailChallenges).orderBy(emailChallenges.id),
    users: await ports.db.select().from(users).orderBy(users.id),
    lines: (await ports.db.select({ at: transitions.at }).from(transitions)).length,
  });

  test.each([
    ['a change of the account', change],
    ['a sign-up', signUp],
    ['a replacement', replacement],
    ['the first of its purpose', first],
  ])('%s happens as a whole while every fact is as loaded', async (_, given) => {
    const { commit } = await given();
    const before = await stored();
    expect(await store.commit(commit)).toBe(true);
    const after = await stored();
    const rows = [...after.links, ...after.users];
    for (const write of commit.writes) {
      const written = write.kind === 'insert' ? write.row : { id: write.loaded['id'], ...write.set };
      const { resumption: _, ...columns } = written as Partial<EmailChallenge>;
      expect(rows.find(({ id }) => id === columns.id)).toMatchObject(columns);
    }
    expect(after.lines).toBe(before.lines + 1);
  });

  const supersede =
    (which: number) =>
    async ({ links }: Given) => {
      await ports.db
        .update(emailChallenges)
        .set({ state: 'superseded', supersededReason: 'newer_link_sent' })
        .where(eq(emailChallenges.id, links[which]?.id ?? ''));
    };
  /** A newer link is sent: those that are active count it. */
  const overtake =
    (which: number) =>
    async ({ links }: Given) => {
      await ports.db
        .update(emailChallenges)
        .set({ newerLinks: 1 })
        .where(eq(emailChallenges.id, links[which]?.id ?? ''));
    };
  /** The same values, as another version. */
  const touchUser = async ({ user }: Given) => {
    await ports.db
      .update(users)
      .set({ claims: sql`${users.claims}` })
      .where(eq(users.id, user?.id ?? ''));
  };
  const takeUsername = async ({ user }: Given) => {
    const username = user?.username.toUpperCase() ?? '';
    await insertUser(ports.db, { id: randomUUID(), username, passwordHash: storedPasswordHash('other'), claims: {} });
  };
  const sendAnother = async ({ added }: Given) => {
    if (added) await send({ ...added, id: randomUUID(), secretHash: randomBytes(32) });
  };

  test.each<readonly [string, () => Promise<Given>, (given: Given) => Promise<unknown>]>([
    ['a change of the account, when its link has moved', change, supersede(0)],
    ['a change of the account, when another link that it supersedes has moved', change, supersede(1)],
    ['a change of the account, when a newer link than its own was sent', change, overtake(0)],
    ['a change of the account, when a newer link than the other was sent', change, overtake(1)],
    ['a change of the account, when the end-user is another version', change, touchUser],
    ['a sign-up, when its link has moved', signUp, supersede(0)],
    ['a sign-up, when the username was taken', signUp, takeUsername],
    ['a replacement, when the first of the links has moved', replacement, supersede(0)],
    ['a replacement, when the second of the links has moved', replacement, supersede(1)],
    ['the first of its purpose, when another came first', first, sendAnother],
  ])('changes no row for %s', async (_, given, meanwhile) => {
    const facts = await given();
    await meanwhile(facts);
    const before = await stored();
    expect(await store.commit(facts.commit)).toBe(false);
    expect(await stored()).toEqual(before);
  });

  test('changes no row for a commit that was stored already', async () => {
    for (const given of [change, signUp, replacement, first]) {
      const { commit } = await given();
      expect(await store.commit(commit)).toBe(true);
      const before = await stored();
      expect(await store.commit(commit)).toBe(false);
      expect(await stored()).toEqual(before);
    }
  });
});
