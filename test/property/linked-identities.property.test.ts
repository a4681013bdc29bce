/**
 * Sign-ins at two identity providers in any order: begun, answered, brought back by any browser to any callback, several times and late,
 * while accounts are linked and removed. Every user at a provider has the e-mail address, the name and the `sub` of a user here or at the
 * other provider. Only the complete answer signs in or links, in the browser that began, once, and only as the identity allows.
 */
import { randomUUID } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { externalSignIns, linkedIdentities, sessions, users } from '../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { type Answer, Browser, formOf } from '../support/browser.ts';
import { testClock } from '../support/clock.ts';
import { anyDatabase } from '../support/database.ts';
import { type NaiveProviders, naiveProviders, type Person } from '../support/naive-provider.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { knowing, pressButton, signInPage, upstreamOf } from '../support/upstream.ts';

const NAMES = ['company', 'school'] as const;
type Name = (typeof NAMES)[number];
const other = (name: Name): Name => (name === 'company' ? 'school' : 'company');

const BROWSERS = 2;
const SESSION_COOKIE = '__Host-statehouse-session';

/** A sign-in that left for a provider, as the test knows it. */
type Left = {
  readonly url: string;
  readonly provider: Name;
  readonly browser: number;
  /** The user who began to link; null: it is a sign-in. */
  readonly linkTo: string | null;
  readonly endsAt: number;
  isSpent: boolean;
  isUsed: boolean;
};
type Given = { readonly of: Left; readonly code: string; readonly subject: string };

type Ports = {
  readonly locals: readonly TestUser[];
  readonly people: readonly Person[];
  readonly browsers: readonly Browser[];
  /** The `sub` of the user that the test last saw sign in at the provider; null: none, or signed out. */
  readonly signedIn: (string | null)[];
  /** The newest first. */
  readonly left: Left[];
  readonly given: Given[];
};

/** How an answer is brought back. `wrong callback` and `wrong issuer`: as if it were of the other provider. */
const WAYS = [
  'as it is',
  'as it is',
  'twice, concurrently',
  'wrong callback',
  'wrong issuer',
  'no issuer',
  'all wrong',
] as const;
type Way = (typeof WAYS)[number];
const isOfAnother = (way: Way): boolean => way === 'wrong issuer' || way === 'all wrong';

describe('sign-ins at two identity providers in any order', () => {
  const clock = testClock(new Date());
  let scene: Scene;
  let providers: NaiveProviders<Name>;
  beforeAll(async () => {
    providers = await naiveProviders(NAMES, clock);
    const upstream = (name: Name, createUsers: boolean) =>
      upstreamOf({ name, label: name, issuer: providers.issuers[name], client_id: 'statehouse', createUsers });
    scene = await openScene(anyDatabase, {
      clock,
      configuration: { ...shippedConfiguration, upstreams: [upstream('company', true), upstream('school', false)] },
      secretNamed: knowing('a secret of the two'),
    });
  });
  afterAll(async () => {
    await scene?.close();
    providers?.close();
  });

  const db = () => scene.database.drizzle;
  const stored = async () => {
    const [accounts, identities, made, signIns] = [
      await db().select({ id: users.id }).from(users),
      await db().select().from(linkedIdentities),
      await db().select({ sid: sessions.sid, userId: sessions.userId }).from(sessions),
      await db().select({ id: externalSignIns.id, state: externalSignIns.state }).from(externalSignIns),
    ];
    return {
      accounts: new Set(accounts.map(({ id }) => id)),
      identities: new Map(identities.map((identity) => [identity.id, identity])),
      sessions: new Map(made.map(({ sid, userId }) => [sid, userId])),
      used: signIns.filter(({ state }) => state === 'used').length,
      signIns: new Map(signIns.map(({ id, state }) => [id, state])),
    };
  };
  type Stored = Awaited<ReturnType<typeof stored>>;
  const fresh = <Key, Value>(before: ReadonlyMap<Key, Value>, after: ReadonlyMap<Key, Value>): Value[] =>
    [...after].flatMap(([key, value]) => (before.has(key) ? [] : [value]));
  const csrfOf = (page: Answer) => formOf(page.body).fields['csrf'] ?? '';

  /** The page of a client that requires a sign-in even with an active session. */
  const signInAgain = (browser: Browser) => signInPage(browser, scene.client, { prompt: 'login' });

  const tally = { signedIn: 0, registered: 0, linked: 0, removed: 0, refused: 0 };

  const remember = (ports: Ports, away: Answer, begun: Pick<Left, 'provider' | 'browser' | 'linkTo'>): void => {
    if (!away.url.startsWith(providers.issuers[begun.provider])) return;
    const endsAt = clock.now().getTime() + shippedConfiguration.signIn.interactionLifetimeSeconds * 1000;
    ports.left.unshift({ ...begun, url: away.url, endsAt, isSpent: false, isUsed: false });
  };

  const steps: Readonly<Record<string, (ports: Ports, at: number, pick: number) => Promise<void>>> = {
    'the password': async (ports, at, pick) => {
      const user = ports.locals[pick % ports.locals.length] as TestUser;
      const browser = ports.browsers[at] as Browser;
      const answer = await browser.submit(await signInAgain(browser), { username: user.username, password: PASSWORD });
      expect(answer.body).toContain('name="decision"');
      ports.signedIn[at] = user.id;
    },
    'a sign-out': async (ports, at) => {
      ports.browsers[at]?.cookies.delete(SESSION_COOKIE);
      ports.signedIn[at] = null;
    },
    'a sign-in begins': async (ports, at, pick) => {
      const browser = ports.browsers[at] as Browser;
      const provider = NAMES[pick % 2] as Name;
      const page = await signInAgain(browser);
      remember(ports, await pressButton(browser, page, `upstream:${provider}`), {
        provider,
        browser: at,
        linkTo: null,
      });
    },
    'a link begins': async (ports, at, pick) => {
      const browser = ports.browsers[at] as Browser;
      const provider = NAMES[pick % 2] as Name;
      const csrf = csrfOf(await browser.get('/account/linked-identities'));
      const away = await browser.post('/account/linked-identities/link', { csrf, provider: `upstream:${provider}` });
      remember(ports, away, { provider, browser: at, linkTo: ports.signedIn[at] ?? 'no user' });
    },
    'an answer': async (ports, _, pick) => {
      const left = ports.left[pick % Math.min(Math.max(ports.left.length, 1), 3)];
      const person = ports.people[(pick >> 2) % ports.people.length] as Person;
      if (!left) return;
      ports.given.unshift({ of: left, code: providers.answer(left.url, person), subject: person.subject });
    },
    'an answered sign-in': async (ports, at, pick) => {
      await steps['a sign-in begins']?.(ports, at, pick);
      await steps['an answer']?.(ports, at, pick & ~3);
    },
    'any return': (ports, at, pick) =>
      bringBack(ports, { given: ports.given[pick % Math.max(ports.given.length, 1)], at, way: wayOf(pick), pick }),
    'a return': (ports, _, pick) => bringBack(ports, { ...next(ports, pick), way: wayOf(pick) }),
    'a return in another browser': (ports, _, pick) => {
      const { given, at } = next(ports, pick);
      return bringBack(ports, { given, at: (at + 1) % BROWSERS, way: 'as it is' });
    },
    'a late return': async (ports, _, pick) => {
      clock.advanceSeconds(1800);
      await bringBack(ports, { ...next(ports, pick), way: 'as it is' });
    },
    'a removal': async (ports, at, pick) => {
      const browser = ports.browsers[at] as Browser;
      const mine = [...(await stored()).identities.values()].filter(
        ({ subject, state }) => state === 'active' && ports.people.some((person) => person.subject === subject),
      );
      const identity = mine[pick % Math.max(mine.length, 1)];
      if (!identity) return;
      const csrf = csrfOf(await browser.get('/account/linked-identities'));
      await browser.post('/account/linked-identities/remove', { csrf, identity: identity.id });
      const after = (await stored()).identities.get(identity.id);
      if (after?.state !== 'removed') return;
      tally.removed += 1;
      expect(after.userId, 'the server removed an identity of another user').toBe(ports.signedIn[at]);
    },
    'a while': async (_, __, pick) => clock.advanceSeconds([1, 300, 601, 1800][pick % 4] as number),
  };

  const wayOf = (pick: number): Way => WAYS[(pick >> 3) % WAYS.length] as Way;

  /** An answer that was not brought back yet, where there is one, and the browser that it belongs to. */
  function next(ports: Ports, pick: number): { given: Given | undefined; at: number } {
    const open = ports.given.filter(({ of }) => !of.isSpent);
    const from = open.length > 0 ? open : ports.given;
    const given = from[pick % Math.max(from.length, 1)];
    return { given, at: given?.of.browser ?? 0 };
  }

  /** @param pick chooses whether the answer names another sign-in; absent: never. */
  async function bringBack(
    ports: Ports,
    { given, at, way, pick = 1 }: { given: Given | undefined; at: number; way: Way; pick?: number },
  ): Promise<void> {
    if (!given) return;
    const { of: left, code, subject } = given;
    const callback = way === 'wrong callback' || way === 'all wrong' ? other(left.provider) : left.provider;
    const issuer =
      way === 'no issuer' ? null : providers.issuers[isOfAnother(way) ? other(left.provider) : left.provider];
    // Sometimes under the `state` of another sign-in; not where the provider of that sign-in would vouch for the answer itself.
    const vouches = (signIn: Left) => way === 'all wrong' && signIn.provider === callback;
    const stranger = pick % 3 === 0 ? ports.left.find((signIn) => signIn !== left && !vouches(signIn)) : undefined;
    const state = new URL((stranger ?? left).url).searchParams.get('state') ?? '';
    const target = stranger ?? left;
    // RFC 9207 §2.4: an answer from another provider does not even use up the sign-in.
    const isTaken =
      target.browser === at &&
      target.provider === callback &&
      providers.issuers[target.provider] === issuer &&
      !target.isSpent &&
      clock.now().getTime() < target.endsAt;

    const before = await stored();
    const parameters = new URLSearchParams({ code, state, ...(issuer !== null && { iss: issuer }) });
    const url = `/sign-in/upstream/${callback}/callback?${parameters}`;
    const browser = ports.browsers[at] as Browser;
    await Promise.all(Array.from({ length: way === 'twice, concurrently' ? 2 : 1 }, () => browser.get(url)));
    const after = await stored();
    const moved = [...after.signIns].filter(([id, state]) => before.signIns.get(id) !== state);
    expect(moved.length, 'the answer was taken for as many sign-ins').toBe(isTaken ? 1 : 0);
    if (isTaken) target.isSpent = true;
    // The server accepts an answer from another user's browser, with a generic code.
    judge(ports, { before, after, at, left, subject, isWhole: isTaken && stranger === undefined });
  }

  /** Of the links, which belong to no request of a client: the later in the same browser counts. */
  const isOvertaken = (ports: Ports, { browser, endsAt }: Left): boolean =>
    ports.left.some(
      (later) => later.linkTo !== null && later.browser === browser && later.isUsed && later.endsAt > endsAt,
    );

  function judge(
    ports: Ports,
    {
      before,
      after,
      at,
      left,
      subject,
      isWhole,
    }: { before: Stored; after: Stored; at: number; left: Left; subject: string; isWhole: boolean },
  ): void {
    const made = fresh(before.sessions, after.sessions);
    const linked = fresh(before.identities, after.identities);
    const registered = [...after.accounts].filter((id) => !before.accounts.has(id));
    const issuer = providers.issuers[left.provider];
    const owner = [...before.identities.values()].find(
      (identity) => identity.issuer === issuer && identity.subject === subject && identity.state === 'active',
    )?.userId;
    const mayLink =
      ports.signedIn[at] === left.linkTo && (owner ?? left.linkTo) === left.linkTo && !isOvertaken(ports, left);
    // The policy registers no user from the other provider.
    const maySignIn = owner !== undefined || left.provider === 'company';
    if (!isWhole || !(left.linkTo === null ? maySignIn : mayLink)) {
      const changes = made.length + linked.length + registered.length + (after.used - before.used);
      expect(changes, 'an answer that is not whole, or leads nowhere, did something').toBe(0);
      tally.refused += 1;
      return;
    }
    expect(after.used - before.used, 'a whole answer is used once').toBe(1);
    left.isUsed = true;
    if (left.linkTo !== null) {
      expect(made, 'a link signed a user in').toEqual([]);
      expect(registered, 'a link registered a user').toEqual([]);
      expect(linked).toMatchObject(
        owner === undefined ? [{ userId: left.linkTo, issuer, subject, state: 'active' }] : [],
      );
      tally.linked += linked.length;
      return;
    }
    expect(made, 'a sign-in makes one session').toHaveLength(1);
    ports.signedIn[at] = made[0] ?? null;
    tally.signedIn += 1;
    if (owner !== undefined) {
      expect([made, linked, registered], 'signed in as the identity says').toEqual([[owner], [], []]);
      return;
    }
    // Neither a removed identity nor an address or a name leads to an account that was there.
    expect(registered, 'signed in to an account without a link to it').toEqual(made);
    expect(linked).toMatchObject([{ userId: made[0], issuer, subject, state: 'active' }]);
    tally.registered += 1;
  }

  const likely = [
    'an answered sign-in',
    'an answered sign-in',
    'a link begins',
    'an answer',
    'a return',
    'a return',
    'a return in another browser',
    'any return',
  ];
  const step = fc.record({
    name: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...likely) },
      { weight: 2, arbitrary: fc.constantFrom(...Object.keys(steps)) },
    ),
    browser: fc.nat({ max: BROWSERS - 1 }),
    pick: fc.nat({ max: 1000 }),
  });
  const of = (name: string, browser = 0, pick = 0) => ({ name, browser, pick });
  /** More is at stake for a user with a linked account from the beginning. */
  const linkedFirst = [of('the password'), of('a link begins'), of('an answer'), of('a return')];
  const leftToLink = linkedFirst.slice(0, 3);
  const thieves = [
    // While the browser is away to link, the session at the provider changes to another user, or ends.
    [...leftToLink, of('a sign-out'), of('a return')],
    [...leftToLink, of('the password', 0, 1), of('a return')],
    // The account with the same `sub` at the other provider belongs to another user.
    [...linkedFirst, of('an answered sign-in', 0, 1), of('a return')],
    // After a removal the identity signs in as a new user.
    [...linkedFirst, of('a removal'), of('an answered sign-in'), of('a return')],
    // The account is linked to another user of another provider: this user cannot remove it.
    [...linkedFirst, of('the password', 1, 1), of('a removal', 1)],
    // With the issuer of the other provider, or with none; then unchanged.
    [of('an answered sign-in'), of('a return', 0, 8 * WAYS.indexOf('wrong issuer')), of('a return')],
    [of('an answered sign-in'), of('a return', 0, 8 * WAYS.indexOf('no issuer')), of('a return')],
  ];
  const twoBegin = (second: string, browser: number) => [
    ...linkedFirst.slice(0, 2),
    of('a while'),
    ...(browser === 0 ? [] : [of('the password', browser, 1)]),
    of(second, browser),
  ];
  const newest = [of('an answer'), of('a return')];
  const older = [of('an answer', 0, 5), of('a return')];
  /** Only a link that was used in the same browser overtakes a link that began before it. */
  const overtaking = [
    [...twoBegin('a link begins', 0), ...newest, ...older],
    [...twoBegin('a link begins', 0), ...older],
    [...twoBegin('a link begins', 1), ...newest, ...older],
    [of('a sign-in begins'), of('a while'), of('a sign-in begins'), ...newest, ...older],
  ];
  const beginnings = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom([], linkedFirst, [...linkedFirst, of('a removal')]) },
    { weight: 2, arbitrary: fc.constantFrom(...thieves, ...overtaking) },
  );
  const sequences = fc.tuple(beginnings, fc.array(step, { minLength: 6, maxLength: 20 }));

  it('sign in as the identity or link, once, and only by the complete answer in the browser that began', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async ([first, rest]) => {
        const run = randomUUID();
        const claimsOf = (index: number) => ({
          email: `${run}-${index}@example.com`,
          email_verified: true,
          preferred_username: `${run}-${index}`,
        });
        const locals = [
          await makeUser(scene, `${run}-0`, { email: `${run}-0@example.com`, email_verified: true }),
          await makeUser(scene, `${run}-1`, { email: `${run}-1@example.com`, email_verified: true }),
        ];
        const ports: Ports = {
          locals,
          // The second is called as an end-user here is.
          people: [
            { subject: `${run}-there`, claims: claimsOf(0) },
            { subject: locals[1]?.id ?? '', claims: claimsOf(1) },
          ],
          browsers: Array.from({ length: BROWSERS }, () => new Browser(scene.app)),
          signedIn: Array.from({ length: BROWSERS }, () => null),
          left: [],
          given: [],
        };
        for (const { name, browser, pick } of [...first, ...rest]) {
          const before = await stored();
          await steps[name]?.(ports, browser, pick);
          if (name.includes('return')) continue;
          const after = await stored();
          const made = fresh(before.sessions, after.sessions);
          expect(made.length, `${name}: a session`).toBe(name === 'the password' ? 1 : 0);
          expect(fresh(before.identities, after.identities), `${name}: a link`).toEqual([]);
          expect(after.used, name).toBe(before.used);
        }
      }),
      { numRuns: 60, examples: [...thieves, ...overtaking].map((first) => [[first, []]]) },
    );
    // Otherwise the orders had no effect to observe.
    for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(0);
  });
});
