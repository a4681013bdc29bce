/** A new account with a passkey and no password, through the pages: one commit, or nothing. */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHALLENGE_SECONDS } from '../../../src/crypto/passkey-challenge.ts';
import { askPasskey } from '../../../src/lifecycles/passkey/lifecycle.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { createLink } from '../../../src/people/email/links.ts';
import {
  type Forged,
  HAS_CREDENTIAL,
  makePasskey,
  optionsOn,
  type SoftwarePasskey,
  signWithPasskey,
  USER_PRESENT,
} from '../../../src/review/simulation/devices/passkey.ts';
import { emailChallengeStore } from '../../../src/storage/email-challenges.ts';
import { emailChallenges, passkeys, sessions, transitions, users } from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { ISSUER, shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { recoveryCodesOn } from '../../support/factors.ts';
import { testMacs } from '../../support/macs.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';

type Policy = Partial<(typeof shippedConfiguration)['signIn']>;
const NEW = 'new@example.com';
const { origin } = new URL(ISSUER);

let scene: Scene;
let mails: Mails;
let browser: Browser;
let reloaded: Policy;

async function open(policy: Policy = {}) {
  mails = keptMails();
  reloaded = {};
  const signIn = {
    ...shippedConfiguration.signIn,
    signUp: 'open',
    signUpWith: 'passkeyOrPassword',
    identifiers: 'username',
    ...policy,
  } as const;
  scene = await openScene(anyDatabase, {
    mail: mails,
    configuration: { ...shippedConfiguration, signIn },
    reloaded: () => ({ signIn: { ...signIn, ...reloaded } }),
  });
  mails.of(scene);
  browser = new Browser(scene.app);
}
afterEach(() => scene.close());

const db = () => scene.database.drizzle;
const asked = async (path = '/sign-up', email = NEW, by = browser): Promise<string> => {
  await by.submit(await by.get(path), { email });
  return mails.link(email);
};
const opened = async (by = browser): Promise<Answer> => by.get(await asked());
/** As the script of the page sends it. */
const send = (page: Answer, credential: string, fields: Readonly<Record<string, string>> = {}, by = browser) =>
  by.post('/email/link', { ...formOf(page.body).fields, username: 'grace', ...fields, credential });
const made = (page: Answer, forged: Forged = {}) => makePasskey(optionsOn(page.body), origin, 0, forged);
const signUp = async (page: Answer): Promise<{ readonly passkey: SoftwarePasskey; readonly codes: Answer }> => {
  const { passkey, credential } = made(page);
  return { passkey, codes: await send(page, credential) };
};
const accounts = async () =>
  (await db().select().from(users)).filter(({ id, username }) => id !== scene.user.id && username !== 'alice');
const linkStates = async () =>
  (await db().select({ state: emailChallenges.state }).from(emailChallenges)).map((one) => one.state);
const nothingChanged = async () => {
  expect(await accounts()).toEqual([]);
  expect(await db().$count(passkeys)).toBe(0);
  expect(await linkStates()).toEqual(['active']);
};
const signInBy = async (passkey: SoftwarePasskey, by: Browser): Promise<Answer> => {
  const page = await by.get('/sign-in');
  const credential = signWithPasskey(passkey, optionsOn(page.body), origin, 0);
  return by.post('/sign-in/passkey', { csrf: formOf(page.body).fields['csrf'] ?? '', credential });
};

describe('a sign-up with a passkey', () => {
  beforeEach(() => open());

  it('makes the account, its passkey and a session of several factors, and shows recovery codes once', async () => {
    const page = await opened();
    expect(JSON.parse(optionsOn(page.body))).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    });
    expect(page.body).toContain('name="password"');
    const { codes } = await signUp(page);
    expect(codes.status).toBe(200);
    expect(recoveryCodesOn(codes)).toHaveLength(10);
    expect(codes.body).toContain('Your account has no password.');
    expect(codes.body).toContain('href="/account"');
    const [user, ...others] = await accounts();
    expect(others).toEqual([]);
    expect(user).toMatchObject({
      username: 'grace',
      passwordHash: '',
      claims: { email: NEW, email_verified: true },
    });
    const rows = await db().select().from(passkeys);
    expect(rows).toMatchObject([{ userId: user?.id, state: 'active', name: 'Passkey' }]);
    expect(await db().select().from(sessions)).toMatchObject([
      { userId: user?.id, state: 'active', amr: ['hwk', 'user', 'mfa'] },
    ]);
    expect((await browser.get('/account')).url).toBe('/account');
    expect(await linkStates()).toEqual(['used']);
    for (const code of recoveryCodesOn(codes)) expect(scene.logs()).not.toContain(code);
  });

  it('is in the ledger: the link, the account, the passkey and the session', async () => {
    await signUp(await opened());
    const lines = await db().select().from(transitions);
    const [user] = await accounts();
    const said = lines.map(({ machine, event, toState }) => `${machine} ${event} ${toState}`);
    expect(said.filter((line) => line === 'emailChallenge usedWithPasskey used')).toHaveLength(1);
    expect(said.filter((_, at) => lines[at]?.userId === user?.id).toSorted()).toEqual([
      'passkey registered active',
      'signIn passkey accepted',
      'user registrationRequested enabled',
    ]);
  });

  it('is followed by sign-ins with that passkey, and with no password', async () => {
    const { passkey } = await signUp(await opened());
    const other = new Browser(scene.app, '203.0.113.1');
    expect((await signInBy(passkey, other)).url).toBe('/account');
    for (const password of ['', PASSWORD, 'grace']) {
      const stranger = new Browser(scene.app, '203.0.113.2');
      const answer = await stranger.submit(await stranger.get('/sign-in'), { username: 'grace', password });
      expect(answer.body).toContain('name="password"');
      expect((await stranger.get('/account')).url).toBe('/sign-in');
    }
  });

  it('continues the interaction after the recovery codes, with the methods of a passkey in the ID Token', async () => {
    const pkce = makePkce();
    const start = await browser.get(authorizeUrl(scene.client, pkce, { scope: 'openid' }));
    const path = /href="(\/sign-up\?for[^"]*)"/.exec(start.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
    const page = await browser.get(await asked(path));
    const { codes } = await signUp(page);
    expect(formOf(codes.body).action).toMatch(/^\/interactions\/[^/]+\/factor\/continue$/);
    const consent = await browser.submit(codes, {});
    expect(consent.body).toContain('name="decision"');
    const { searchParams } = new URL((await browser.submit(consent, { decision: 'approve' })).url);
    const { json } = await exchange(scene, scene.client, {
      code: searchParams.get('code') ?? '',
      verifier: pkce.verifier,
    });
    const [, payload = ''] = json.id_token?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      acr: 'urn:statehouse:acr:phishing-resistant',
      amr: ['hwk', 'user', 'mfa'],
    });
  });

  it('needs no username where addresses identify', async () => {
    await scene.close();
    await open({ identifiers: 'both' });
    const page = await opened();
    expect(page.body).not.toContain('id="username"');
    expect(JSON.parse(optionsOn(page.body))).toMatchObject({ user: { name: NEW } });
    await send(page, made(page).credential, { username: '' });
    expect(await accounts()).toMatchObject([{ username: NEW, signInAddress: NEW, passwordHash: '' }]);
  });

  it('counts as a second factor where the policy requires one', async () => {
    await scene.close();
    await open({ secondFactor: 'everyone' });
    await signUp(await opened());
    expect((await browser.get('/account')).url).toBe('/account');
  });

  it('works for an invitation, too', async () => {
    await scene.close();
    await open({ signUp: 'invitation' });
    const { codes } = await signUp(await browser.get(await invitation()));
    expect(recoveryCodesOn(codes)).toHaveLength(10);
    expect(await accounts()).toMatchObject([{ username: 'grace', passwordHash: '' }]);
  });

  it('is one of two ways: the password makes the account as before', async () => {
    const page = await opened();
    expect((await browser.submit(page, { username: 'grace', password: 'another long passphrase' })).url).toBe(
      '/account',
    );
    expect((await accounts())[0]?.passwordHash).not.toBe('');
    expect(await db().$count(passkeys)).toBe(0);
  });

  it('happens once per link: a second passkey and a later password change nothing', async () => {
    const link = await asked();
    const [one, two] = [await browser.get(link), await browser.get(link)];
    await signUp(one);
    const again = await send(two, made(two).credential, { username: 'another' });
    expect(again.status).toBe(410);
    expect(again.body).toContain('works only once');
    expect((await browser.submit(two, { username: 'another', password: 'another long passphrase' })).status).toBe(410);
    expect(await accounts()).toHaveLength(1);
    expect(await db().$count(passkeys)).toBe(1);
  });

  it('happens once for two concurrent answers', async () => {
    const link = await asked();
    const [one, two] = [await browser.get(link), await browser.get(link)];
    const answers = await Promise.all([
      send(one, made(one).credential),
      send(two, made(two).credential, { username: 'another' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410]);
    expect(await accounts()).toHaveLength(1);
    expect(await db().$count(passkeys)).toBe(1);
  });

  it('asks for the same account at each attempt, so an authenticator replaces its passkey', async () => {
    const link = await asked();
    const handle = async (by: Browser) => JSON.parse(optionsOn((await by.get(link)).body)).user.id;
    expect(await handle(browser)).toBe(await handle(new Browser(scene.app)));
    expect(await handle(browser)).not.toBe(JSON.parse(optionsOn((await opened()).body)).user.id);
  });
});

/** The URL of the mail of an administrator. */
async function invitation(): Promise<string> {
  const making = {
    issuer: ISSUER,
    random: { bytes: randomBytes, uuid: randomUUID },
    sleep: async () => {},
    challenges: emailChallengeStore(db(), scene.clock, testMacs),
    isOffered: () => true,
  };
  const link = await createLink(making, { purpose: 'invitation', userId: null, address: NEW, resumption: null });
  const { pathname, search } = new URL(link?.url ?? '');
  return `${pathname}${search}`;
}

describe('a sign-up with a passkey changes nothing', () => {
  beforeEach(() => open());
  const expectRefused = async (answer: Answer) => {
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('The passkey was not accepted. Try again, or choose a password.');
    await nothingChanged();
    expect((await browser.get('/account')).url).toBe('/sign-in');
    // The link is as good as before.
    expect((await signUp(answer)).codes.status).toBe(200);
  };

  it.each<[string, Forged]>([
    ['no user was verified', { flags: USER_PRESENT | HAS_CREDENTIAL }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another site', { rpId: 'evil.example' }],
    ['a signature in place of a registration', { type: 'webauthn.get' }],
    ['a frame of another site', { clientData: { crossOrigin: true } }],
    ['an invented challenge', { challenge: randomBytes(56).toString('base64url') }],
  ])('for an authenticator that lies: %s', async (_, forged) => {
    const page = await opened();
    await expectRefused(await send(page, made(page, forged).credential));
  });

  it.each(['no JSON', '{}', '[]', '{"id":"x","response":{"clientDataJSON":"x"}}'])(
    'for an answer that is none: %s',
    async (credential) => expectRefused(await send(await opened(), credential)),
  );

  it('for the challenge of another browser', async () => {
    const link = await asked();
    const page = await browser.get(link);
    const other = await new Browser(scene.app).get(link);
    await expectRefused(await send(page, made(other).credential));
  });

  it('for the challenge of the page of another link', async () => {
    const elsewhere = await browser.get(await asked('/sign-up', 'other@example.com'));
    const credential = made(elsewhere).credential;
    await db().delete(emailChallenges);
    await expectRefused(await send(await opened(), credential));
  });

  it('for the challenge of a sign-in', async () => {
    const page = await opened();
    const challenge = JSON.parse(optionsOn((await browser.get('/sign-in')).body)).challenge;
    await expectRefused(await send(page, made(page, { challenge }).credential));
  });

  it('for a challenge that has expired', async () => {
    const page = await opened();
    scene.clock.advanceSeconds(CHALLENGE_SECONDS);
    await expectRefused(await send(page, made(page).credential));
  });

  it('for an answer that was sent before', async () => {
    await makeUser(scene, 'alice');
    const page = await opened();
    const { credential } = made(page);
    expect((await send(page, credential, { username: 'alice' })).body).toContain('This username is taken');
    await nothingChanged();
    const again = await send(page, credential, { username: 'alice' });
    expect(again.body).toContain('The passkey was not accepted');
    await nothingChanged();
  });

  it('for a form of another browser', async () => {
    const page = await opened();
    const thief = new Browser(scene.app);
    const answer = await send(page, made(page).credential, {}, thief);
    expect(answer.status).toBe(403);
    await nothingChanged();
  });

  it('for a browser without a cookie', async () => {
    const page = await opened();
    browser.cookies.clear();
    expect((await send(page, made(page).credential)).status).toBe(403);
    await nothingChanged();
  });

  it.each([
    ['alice', 'This username is taken'],
    ['', 'Fill in every field'],
    ['аlice', 'mixes letters of several alphabets'],
    ['x'.repeat(257), 'This username is not allowed'],
  ])('for the username %j, and the page appears again', async (username, words) => {
    await makeUser(scene, 'alice');
    const page = await opened();
    const answer = await send(page, made(page).credential, { username });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(words);
    await nothingChanged();
    expect((await signUp(answer)).codes.status).toBe(200);
  });

  it('for the address of another account, where addresses identify', async () => {
    await scene.close();
    await open({ identifiers: 'both' });
    const page = await opened();
    await makeUser(scene, 'alice', { email: NEW, email_verified: true });
    const answer = await send(page, made(page).credential, { username: '' });
    expect(answer.body).toContain('Another account already uses this e-mail address.');
    await nothingChanged();
  });

  it.each(['active', 'removed'] as const)('for a passkey that is registered already, and is %s', async (state) => {
    const owner = await makeUser(scene, 'alice');
    const key = await registeredPasskey(scene, owner);
    if (state === 'removed')
      await askPasskey(
        { passkeys: scene.deps.passkeys, sleep: async () => {} },
        { userId: owner.id, id: key.id },
        { type: 'removalRequestedByAdministrator', actor: commandLine },
      );
    const page = await opened();
    const answer = await send(page, made(page, { id: key.passkey.id }).credential);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('The passkey was not accepted');
    expect(await accounts()).toEqual([]);
    expect(await db().select().from(passkeys)).toMatchObject([{ userId: owner.id, state }]);
    expect(await linkStates()).toEqual(['active']);
  });

  it('after the link has expired', async () => {
    const page = await opened();
    scene.clock.advanceSeconds(24 * 3600);
    expect((await send(page, made(page).credential)).status).toBe(410);
    await nothingChanged();
  });

  it('where the policy makes accounts with a password', async () => {
    const page = await opened();
    const { credential } = made(page);
    const link = `/email/link?t=${formOf(page.body).fields['t']}`;
    reloaded = { signUpWith: 'password' };
    const plain = await browser.get(link);
    expect(plain.body).not.toContain('data-passkey="');
    const answer = await send(page, credential);
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain('data-passkey="');
    await nothingChanged();
    expect((await browser.submit(answer, { username: 'grace', password: 'another long passphrase' })).url).toBe(
      '/account',
    );
  });

  it('with the link of another purpose: a new password needs a password', async () => {
    const page = await opened();
    const { credential } = made(page);
    const alice = await makeUser(scene, 'alice', { email: 'alice@example.com', email_verified: true });
    const reset = await browser.get(await asked('/forgot-password', 'alice@example.com'));
    expect(reset.body).not.toContain('data-passkey="');
    expect((await browser.post('/email/link', { ...formOf(reset.body).fields, credential })).status).toBe(400);
    expect(await db().$count(passkeys)).toBe(0);
    const [row] = await db().select().from(users).where(eq(users.id, alice.id));
    expect(row?.passwordHash).not.toBe('');
  });
});

describe('an account without a password', () => {
  beforeEach(() => open());

  it('keeps its last passkey, gets a first password on its page, and then may remove the passkey', async () => {
    await signUp(await opened());
    const [passkey] = await db().select().from(passkeys);
    const section = '/account/sign-in-methods';
    const remove = async () =>
      browser.post(`${section}/passkeys/remove`, {
        csrf: formOf((await browser.get(section)).body).fields['csrf'] ?? '',
        id: passkey?.id ?? '',
      });
    const refused = await remove();
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('your only way to sign in. Set a password, or add another passkey, first');
    const form = await browser.get('/account/password');
    expect(form.body).toContain('Your account has no password yet.');
    expect(form.body).not.toContain('name="current"');
    const chosen = 'another long passphrase';
    const set = await browser.submit(form, { chosen, repeated: chosen });
    expect(set.url).toBe('/account/password?changed');
    expect((await browser.get('/account/password')).body).toContain('name="current"');
    expect((await remove()).url).toBe(`${section}?removed`);
  });

  it('asks for another sign-in before a first password, when the sign-in was long ago', async () => {
    await signUp(await opened());
    const form = await browser.get('/account/password');
    scene.clock.advanceSeconds(shippedConfiguration.signIn.recentSignInSeconds + 1);
    const chosen = 'another long passphrase';
    expect((await browser.submit(form, { chosen, repeated: chosen })).url).toMatch(/^\/sign-in/);
    expect((await accounts())[0]?.passwordHash).toBe('');
    expect((await browser.get('/account/password')).url).toMatch(/^\/sign-in/);
  });

  it('gets a password by mail, which signs in with the passkey or a recovery code', async () => {
    const { codes } = await signUp(await opened());
    const other = new Browser(scene.app, '203.0.113.3');
    const reset = await other.get(await asked('/forgot-password', NEW, other));
    expect(reset.body).toContain('grace');
    const password = 'another long passphrase';
    expect((await other.submit(reset, { password })).url).toBe('/email/done?reset_password');
    const factor = await other.submit(await other.get('/sign-in?then=devices'), { username: 'grace', password });
    expect(factor.url).toMatch(/^\/sign-in\/factor/);
    expect((await other.get('/account')).url).not.toBe('/account');
    const done = await other.post('/sign-in/factor?then=devices', {
      csrf: formOf(factor.body).fields['csrf'] ?? '',
      code: recoveryCodesOn(codes)[0] ?? '',
    });
    expect(done.url).toBe('/account/devices');
  });

  it('is deleted by its owner, after a recent sign-in', async () => {
    await signUp(await opened());
    const form = await browser.get('/account/delete');
    expect(form.body).not.toContain('<input type="password"');
    await browser.submit(form, { username: 'grace' });
    expect(await accounts()).toMatchObject([{ username: '', passwordHash: '' }]);
    expect(await db().$count(passkeys, eq(passkeys.state, 'active'))).toBe(0);
  });
});
