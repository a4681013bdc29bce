/** Sign-in by a verified address: whom it identifies, what is near to it, and what a thief can do with names and addresses. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { followingIdentifiers } from '../../../src/boot/sign-in-addresses.ts';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { theServer } from '../../../src/model/actor.ts';
import { administerUser } from '../../../src/registration/administration.ts';
import { users } from '../../../src/storage/schema.ts';
import { sharedAddresses } from '../../../src/storage/sign-in-addresses.ts';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { disableUser, updateUser } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const VICTIM = 'victim@example.org';
const NEW_PASSWORD = 'another long passphrase';
const verified = (email: string) => ({ email, email_verified: true });

let scene: Scene;
let mails: Mails;
let policy: SignInPolicy;
let addresses = 0;

beforeEach(async () => {
  mails = keptMails();
  policy = { ...shippedConfiguration.signIn, identifiers: 'both', signUp: 'open' };
  scene = await openScene(anyDatabase, { mail: mails, reloaded: () => ({ signIn: policy }) });
  mails.of(scene);
});
afterEach(() => scene.close());

const stranger = () => new Browser(scene.app, `203.0.113.${++addresses % 250}`);
const db = () => scene.database.drizzle;

async function attempt(username: string, password = PASSWORD, by = stranger()): Promise<Answer> {
  return by.submit(await by.get('/sign-in'), { username, password });
}
/** Null: the sign-in is refused. */
const signedInAs = async (username: string, password = PASSWORD): Promise<string | null> => {
  const { body } = await attempt(username, password);
  return /Signed in as <strong>([^<]+)</.exec(body)?.[1] ?? null;
};

/** Through the policy, as the round of a node applies it. */
async function identifiersAre(identifiers: SignInPolicy['identifiers']): Promise<readonly object[]> {
  policy = { ...policy, identifiers };
  const warned: object[] = [];
  const logger = { info: () => {}, warn: (facts: object) => void warned.push(facts) };
  const round = followingIdentifiers(
    { database: scene.database, keys: scene.keys },
    () => ({ ...shippedConfiguration, signIn: policy }),
    logger,
  );
  await round(new AbortController().signal);
  return warned;
}

const register = (username: string, claims: object, id: string = randomUUID()) =>
  administerUser(
    { db: db(), macs: testMacs, actor: theServer },
    {
      id,
      change: {
        type: 'registrationRequested',
        registration: { username, claims: { ...claims }, passwordHash: storedPasswordHash('x') },
      },
    },
  );

/** Signs in, and asks for another address. */
async function askToChange(username: string, email: string): Promise<Answer> {
  const by = stranger();
  await by.submit(await by.get('/account/email'), { username, password: PASSWORD });
  const page = await by.get('/account/email');
  return by.post('/account/email/change', { csrf: formOf(page.body).fields['csrf'] ?? '', email });
}
const press = async (address: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const by = stranger();
  return by.submit(await by.get(await mails.link(address)), fields);
};
const signUp = async (email: string, fields: Readonly<Record<string, string>>): Promise<Answer> => {
  const by = stranger();
  await by.submit(await by.get('/sign-up'), { email });
  return press(email, fields);
};

describe('a verified address', () => {
  beforeEach(() => makeUser(scene, 'vic', verified('Vic.Tim@Example.org')));

  it.each([
    ['the address', 'Vic.Tim@Example.org', true],
    ['in another case', 'vic.tim@EXAMPLE.ORG', true],
    ['between spaces', '  vic.tim@example.org ', true],
    ['in full width', 'ｖic.tim＠example．org', true],
    ['with a Kelvin sign, of another address', 'vic.tim@example.or\u212a', false],
    ['without its dot', 'victim@example.org', false],
    ['with a tag', 'vic.tim+x@example.org', false],
    ['of another domain', 'vic.tim@example.com', false],
    ['below the domain', 'vic.tim@mail.example.org', false],
    ['cut off', 'vic.tim@example.or', false],
    ['with a dot at the end', 'vic.tim@example.org.', false],
    ['without the domain', 'vic.tim', false],
    ['with a Cyrillic letter', 'viс.tim@example.org', false],
    ['with a dotless letter', 'vıc.tim@example.org', false],
    ['with a dotted letter', 'vİc.tim@example.org', false],
    ['with an invisible letter', 'vic.tim\u200b@example.org', false],
    ['with a soft hyphen', 'vic\u00ad.tim@example.org', false],
    ['with an accent', 'víc.tim@example.org', false],
    ['with a placeholder', '%@example.org', false],
    ['the username', 'vic', true],
  ])('identifies the end-user: %s', async (_, typed, identifies) => {
    expect(await signedInAs(typed)).toBe(identifies ? 'vic' : null);
    expect(await signedInAs(typed, 'not the password')).toBeNull();
  });

  it.each([
    ['Ünï@exämple.org', 'u\u0308nI\u0308@exa\u0308mple.ORG', true],
    ['Ünï@exämple.org', 'uni@example.org', false],
    ['straße@example.org', 'STRASSE@example.org', false],
    ['иван@example.org', 'ИВАН@example.org', true],
    ['ελλάς@example.org', 'ΕΛΛΆΣ@example.org', true],
    ['user@bücher.example', 'user@xn--bcher-kva.example', false],
    ['１２@example.org', '12@example.org', true],
  ])('with letters beyond ASCII: %s is %s: %s', async (email, typed, identifies) => {
    await makeUser(scene, 'other', verified(email));
    expect(await signedInAs(email)).toBe('other');
    expect(await signedInAs(typed)).toBe(identifies ? 'other' : null);
  });

  it('fills the form as login_hint, and signs in at an authorization request', async () => {
    const client = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
    const by = stranger();
    const page = await by.get(authorizeUrl(client, makePkce(), { login_hint: 'vic.tim@example.org' }));
    expect(page.body).toContain('value="vic.tim@example.org"');
    expect(page.body).toContain('<label for="username">E-mail address or username</label>');
    expect(page.body).toMatch(
      /<input type="text" inputmode="email" id="username" name="username"[^>]*autocomplete="username/,
    );
    const answer = await by.submit(page, { username: 'vic.tim@example.org', password: PASSWORD });
    expect(answer.body).toContain('name="decision"');
  });

  it('identifies no disabled end-user, and none after the deletion', async () => {
    await disableUser(db(), 'vic');
    expect(await signedInAs('vic.tim@example.org')).toBeNull();
    const [row] = await db().select({ id: users.id }).from(users).where(eq(users.username, 'vic'));
    await administerUser(
      { db: db(), macs: testMacs, actor: theServer },
      { id: row?.id ?? '', change: { type: 'deletionRequested' } },
    );
    expect((await db().select().from(users)).map(({ signInAddress }) => signInAddress)).not.toContain(
      'vic.tim@example.org',
    );
    await makeUser(scene, 'heir', verified('vic.tim@example.org'));
    expect(await signedInAs('vic.tim@example.org')).toBe('heir');
  });
});

it('identifies no end-user before it is verified', async () => {
  await makeUser(scene, 'vic', { email: VICTIM });
  await makeUser(scene, 'eve', { email: 'eve@example.org', email_verified: false });
  expect([await signedInAs(VICTIM), await signedInAs('eve@example.org'), await signedInAs('vic')]).toEqual([
    null,
    null,
    'vic',
  ]);
});

describe('one answer and one amount of work', () => {
  const pageOf = ({ body }: Answer, typed: string) =>
    body
      .replaceAll(typed, 'TYPED')
      .replace(/data-passkey="[^"]*"/, 'CHALLENGE')
      .replaceAll(/value="[\w-]{43}"/g, 'CSRF');

  it('for the address of an account and for any other', async () => {
    await makeUser(scene, 'victoria', verified(VICTIM));
    const typed = [VICTIM, 'unknown@example.org', 'victoria', 'unknown'];
    const pages = await Promise.all(typed.map(async (name) => pageOf(await attempt(name, 'wrong'), name)));
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('The e-mail address, the username or the password is wrong');
  });

  it('for the failures of an account, whichever identifier is typed', async () => {
    await makeUser(scene, 'vic', verified(VICTIM));
    const by = stranger();
    for (const typed of ['vic', VICTIM, 'VIC']) expect((await attempt(typed, 'wrong', by)).status).toBe(400);
    for (const typed of ['vic', VICTIM]) expect((await attempt(typed, PASSWORD, by)).status).toBe(429);
    // An unknown address is throttled by itself, as a known one is.
    for (const _ of 'abc') expect((await attempt('unknown@example.org', 'wrong', by)).status).toBe(400);
    expect((await attempt('Unknown@example.org', 'wrong', by)).status).toBe(429);
  });
});

describe('a thief', () => {
  let victim: TestUser;
  beforeEach(async () => {
    victim = await makeUser(scene, 'vic', verified(VICTIM));
    await makeUser(scene, 'eve', verified('eve@example.org'));
  });
  const victimIsSafe = async () => {
    expect(await signedInAs(VICTIM)).toBe('vic');
    expect(await signedInAs('vic')).toBe('vic');
  };

  it.each([VICTIM, 'VICTIM@example.org', ' victim@example.org', 'ｖictim@example.org'])(
    'gets no account with the username %j, by sign-up, and learns nothing',
    async (username) => {
      const taken = await signUp('eve2@example.org', { username, password: NEW_PASSWORD });
      const free = await signUp('eve3@example.org', { username: 'unknown@example.org', password: NEW_PASSWORD });
      expect([taken.status, free.status]).toEqual([400, 400]);
      for (const { body } of [taken, free]) expect(body).toContain('has to be the e-mail address of this account');
      await victimIsSafe();
    },
  );

  it('gets no such username from an administrator either', async () => {
    expect(await register(VICTIM, {})).toEqual({ kind: 'rejected', reason: 'username_taken' });
    expect(await register('ｖictim@example.org', {})).toEqual({ kind: 'rejected', reason: 'username_taken' });
    expect(await register('other@example.org', {})).toMatchObject({ kind: 'done' });
    await victimIsSafe();
  });

  it('takes no address that is verified for the victim, by any way, and nothing changes', async () => {
    const stored = { username: users.username, claims: users.claims, held: users.signInAddress };
    const facts = () => db().select(stored).from(users).orderBy(users.usernameKey);
    const before = await facts();
    expect(await register('mallory', verified('Victim@EXAMPLE.org'))).toEqual({
      kind: 'rejected',
      reason: 'address_taken',
    });
    // The page says the same for every address; the mail goes to its owner, who learns the rest.
    expect((await askToChange('eve', VICTIM)).url).toBe('/account/email?sent');
    const pressed = await press(VICTIM);
    expect(pressed.status).toBe(410);
    expect(pressed.body).toContain('Another account already uses this e-mail address');
    expect((await askToChange('eve', 'free@example.org')).url).toBe('/account/email?sent');
    expect(await facts()).toEqual(before);
    await victimIsSafe();
  });

  it('does not shadow a username by verifying it as an address', async () => {
    await makeUser(scene, 'owner@example.net', {});
    expect((await askToChange('eve', 'owner@example.net')).url).toBe('/account/email?sent');
    expect((await press('owner@example.net')).status).toBe(410);
    expect(await signedInAs('owner@example.net')).toBe('owner@example.net');
    expect(await signedInAs('eve@example.org')).toBe('eve');
  });

  it('gets no sign-in by an address that was written into the database', async () => {
    await db().update(users).set({ signInAddress: null }).where(eq(users.username, 'vic'));
    await db().update(users).set({ signInAddress: VICTIM }).where(eq(users.username, 'eve'));
    expect(await signedInAs(VICTIM)).toBeNull();
    await identifiersAre('both');
    await victimIsSafe();
  });

  it('cannot give two end-users one identifier past the server', async () => {
    const write = (name: string, set: object) => db().update(users).set(set).where(eq(users.username, name));
    const refused = { cause: { code: '23505' } };
    await expect(write('eve', { signInAddress: VICTIM })).rejects.toMatchObject(refused);
    await expect(write('eve', { signInAddress: 'vic' })).rejects.toMatchObject(refused);
    await expect(write('eve', { usernameKey: VICTIM })).rejects.toMatchObject(refused);
    expect(victim.username).toBe('vic');
  });
});

describe('the account of the same end-user', () => {
  it('may have its own address as the username, and keeps both ways in after a change', async () => {
    const done = await signUp('Grace@example.org', { password: NEW_PASSWORD });
    expect(done.status).toBe(200);
    expect(await signedInAs('grace@example.org', NEW_PASSWORD)).toBe('Grace@example.org');
    const by = stranger();
    await by.submit(await by.get('/account/email'), { username: 'grace@example.org', password: NEW_PASSWORD });
    const csrf = formOf((await by.get('/account/email')).body).fields['csrf'] ?? '';
    await by.post('/account/email/change', { csrf, email: 'grace@example.net' });
    expect((await press('grace@example.net')).url).toBe('/email/done?change_address');
    expect(await signedInAs('grace@example.net', NEW_PASSWORD)).toBe('Grace@example.org');
    expect(await signedInAs('grace@example.org', NEW_PASSWORD)).toBe('Grace@example.org');
  });

  it('gets a new password by its username or its address', async () => {
    await makeUser(scene, 'grace', verified('grace@example.org'));
    for (const typed of ['grace', 'GRACE@example.org', 'unknown', 'unknown@example.org']) {
      const by = stranger();
      const page = await by.get('/forgot-password');
      expect(page.body).toContain('<label for="email">E-mail address or username</label>');
      expect((await by.submit(page, { email: typed })).url).toBe('/forgot-password?sent');
    }
    expect((await mails.to('grace@example.org')).map(({ subject }) => subject)).toEqual([
      'A new password',
      'A new password',
    ]);
    expect((await press('grace@example.org', { password: NEW_PASSWORD })).url).toBe('/email/done?reset_password');
    expect(await signedInAs('grace@example.org', NEW_PASSWORD)).toBe('grace');
  });

  it('gets none by its username where only addresses identify', async () => {
    await makeUser(scene, 'grace', verified('grace@example.org'));
    policy = { ...policy, identifiers: 'email' };
    const by = stranger();
    const page = await by.get('/forgot-password');
    expect(page.body).toContain('<label for="email">E-mail address</label>');
    expect((await by.submit(page, { email: 'grace' })).status).toBe(400);
    expect(await mails.to('grace@example.org')).toEqual([]);
  });

  it('gets a bounded number of mails, by whichever identifier they are asked for', async () => {
    await makeUser(scene, 'grace', verified('grace@example.org'));
    for (const typed of [
      'grace',
      'grace@example.org',
      'grace',
      'grace@example.org',
      'grace',
      'grace',
      'grace@example.org',
      'grace',
    ]) {
      const by = stranger();
      await by.submit(await by.get('/forgot-password'), { email: typed });
      await mails.to('grace@example.org');
    }
    expect(await mails.to('grace@example.org')).toHaveLength(5);
  });

  it('changes the password where the username does not identify', async () => {
    await makeUser(scene, 'grace', verified('grace@example.org'));
    policy = { ...policy, identifiers: 'email' };
    expect(await signedInAs('grace')).toBeNull();
    const by = stranger();
    await by.submit(await by.get('/account/password'), { username: 'grace@example.org', password: PASSWORD });
    const csrf = formOf((await by.get('/account/password')).body).fields['csrf'] ?? '';
    const fields = { csrf, current: PASSWORD, chosen: NEW_PASSWORD, repeated: NEW_PASSWORD };
    expect((await by.post('/account/password', fields)).body).toContain('Your password is changed');
    expect(await signedInAs('grace@example.org', NEW_PASSWORD)).toBe('grace');
  });
});

describe('the policy', () => {
  it.each([
    ['username', 'Username', [null, 'vic', 'ann']],
    ['email', 'E-mail address', ['vic', null, 'ann']],
    ['both', 'E-mail address or username', ['vic', 'vic', 'ann']],
  ] as const)('%s: the page asks for "%s"', async (identifiers, label, who) => {
    await makeUser(scene, 'vic', verified(VICTIM));
    await makeUser(scene, 'ann', { email: 'ann@example.org' });
    policy = { ...policy, identifiers };
    const { body } = await stranger().get('/sign-in');
    expect(body).toContain(`<label for="username">${label}</label>`);
    expect(body.includes('inputmode="email"')).toBe(identifiers !== 'username');
    // An end-user without a verified address signs in by the username in any case.
    expect([await signedInAs(VICTIM), await signedInAs('vic'), await signedInAs('ann')]).toEqual(who);
  });

  it('comes into force without a change of any account, and names those who share an address', async () => {
    await identifiersAre('username');
    const ids: string[] = [];
    for (const [name, email] of [
      ['first', 'Shared@example.org'],
      ['second', 'shared@EXAMPLE.org'],
      ['third', 'name@example.org'],
      ['name@example.org', null],
      ['fourth', 'own@example.org'],
    ] as const) {
      ids.push((await makeUser(scene, name, email ? verified(email) : {})).id);
    }
    const facts = () =>
      db()
        .select({
          name: users.username,
          claims: users.claims,
          hash: users.passwordHash,
          epoch: users.epoch,
          mac: users.mac,
        })
        .from(users)
        .orderBy(users.usernameKey);
    const before = await facts();
    const [warned] = await identifiersAre('both');
    expect(warned).toEqual({ userIds: [ids[1], ids[2]] });
    expect(await facts()).toEqual(before);
    expect(await sharedAddresses(db(), 20)).toEqual([
      { usernames: ['third'], named: 'name@example.org' },
      { usernames: ['first', 'second'], named: null },
    ]);
    expect(await signedInAs('own@example.org')).toBe('fourth');
    expect(await signedInAs('shared@example.org')).toBe('first');
    expect(await signedInAs('name@example.org')).toBe('name@example.org');
    expect(await signedInAs('second')).toBe('second');
    // An administrator makes the address unique, and others of their claims may change before that.
    await updateUser(db(), ids[1] ?? '', {
      claims: { ...verified('shared@EXAMPLE.org'), name: 'Second' },
      passwordHash: null,
    });
    await updateUser(db(), ids[0] ?? '', { claims: {}, passwordHash: null });
    expect(await signedInAs('shared@example.org')).toBeNull();
    await identifiersAre('both');
    expect(await signedInAs('shared@example.org')).toBe('second');
    await identifiersAre('username');
    expect(await db().select({ held: users.signInAddress }).from(users).groupBy(users.signInAddress)).toEqual([
      { held: null },
    ]);
    expect(await register('fifth', verified('own@example.org'))).toMatchObject({ kind: 'done' });
  });
});

it('is kept unique by two requests at the same time', async () => {
  const answers = await Promise.all(['one', 'two', 'three'].map((name) => register(name, verified(VICTIM))));
  expect(answers.map((answer) => (answer.kind === 'done' ? answer.kind : answer.reason)).sort()).toEqual([
    'address_taken',
    'address_taken',
    'done',
  ]);
  const mixed = await Promise.all([register('both@example.org', {}), register('four', verified('both@example.org'))]);
  expect(mixed.map(({ kind }) => kind).sort()).toEqual(['done', 'rejected']);
});
