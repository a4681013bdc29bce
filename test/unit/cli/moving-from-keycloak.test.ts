/** The users of a Keycloak realm move in: the commands of docs/moving-in.md, and then each of them signs in as before. */
import { createPrivateKey } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/model/actor.ts';
import { openContents } from '../../../src/people/mail/contents.ts';
import type { Mail } from '../../../src/people/mail/mail.ts';
import { optionsOn, signWithPasskey, USER_PRESENT } from '../../../src/review/simulation/devices/passkey.ts';
import {
  linkedIdentities,
  mails,
  passkeys,
  recoveryCodes,
  secondFactors,
  transitions,
  users,
} from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, makePkce, token } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { exportFile } from '../../support/exports.ts';
import { appWith } from '../../support/factors.ts';
import { testKeys, testMacs } from '../../support/macs.ts';
import { keptMails } from '../../support/mails.ts';
import { openTwoServers, pressButton, signInPage, type TwoServers } from '../../support/upstream.ts';
import { type CommandLine, openCommandLine, type Printed } from './command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'statehouse-keycloak-'));
const realm = join(folder, 'realm.json');
const SECRETS = ['BuViHNDGmCq80fvpty', 'BF0QtrMc1PHAO', 'Quohp7t2mrLMUwft3g90', 'KF2W62DQG52DE3LSJRGVK53GOQZWOOJQ'];

let servers: TwoServers;
let line: CommandLine;
let serial = 0;
const scene = () => servers.scene;
const db = () => scene().database.drizzle;
/** The server takes over the host name of Keycloak. */
const env = { STATEHOUSE_ISSUER: ISSUER };
const importing = (...flags: string[]): Promise<Printed> =>
  line.run(['users', 'import', '--from', 'keycloak', realm, '--rp-id', 'as.test', ...flags], { env });

beforeAll(async () => {
  servers = await openTwoServers({}, { mail: keptMails() });
  line = await openCommandLine(scene().database);
  const text = readFileSync(exportFile('keycloak-realm.json'), 'utf8');
  // Keycloak has sent its users to the same provider, by the same ids.
  const moved = text
    .replace('https://login.company.example', servers.upstream.issuer)
    .replace('00u1abcd', servers.ada.id);
  writeFileSync(realm, moved);
});
afterAll(() => servers.close());

/** @returns the `sub` of the ID Token, and the claims of UserInfo. */
async function signIn(username: string, password: string, code?: () => string) {
  // At an address of its own: failures of others do not throttle it.
  const browser = new Browser(scene().app, `2001:db8:${++serial}::1`);
  const pkce = makePkce();
  let page = await browser.get(authorizeUrl(scene().client, pkce, { scope: 'openid profile email' }));
  page = await browser.submit(page, { username, password });
  if (code !== undefined) page = await browser.submit(page, { code: code() });
  return claimsAfter(browser, page, pkce.verifier);
}

async function claimsAfter(browser: Browser, page: Awaited<ReturnType<Browser['get']>>, verifier: string) {
  const last = page.body.includes('name="decision"') ? await browser.submit(page, { decision: 'approve' }) : page;
  const code = URL.canParse(last.url) ? new URL(last.url).searchParams.get('code') : null;
  if (code === null) return null;
  const { json } = await exchange(scene(), scene().client, { code, verifier });
  const headers = { authorization: `Bearer ${json.access_token}` };
  const info = await scene().app.inject({ method: 'GET', url: '/oauth/userinfo', headers });
  return { ...info.json(), sub: decodeJwt(json.id_token ?? '').sub };
}

const stored = async (username: string) => {
  const [user] = await db().select().from(users).where(eq(users.usernameKey, username));
  return user;
};
const everything = async () => [
  await db().select().from(users).orderBy(users.id),
  await db().select().from(linkedIdentities).orderBy(linkedIdentities.id),
  await db().select().from(secondFactors).orderBy(secondFactors.id),
  await db().select().from(passkeys).orderBy(passkeys.id),
  await db().select().from(recoveryCodes).orderBy(recoveryCodes.id),
];

const PASSKEYS = JSON.parse(readFileSync(exportFile('keycloak-passkeys.json'), 'utf8'));

/** The answer of the authenticator, with the user handle of Keycloak. */
function signed(page: Answer, name: string, keycloakId: string, counter: number, flags?: number): string {
  const { credentialId: id, jwk } = PASSKEYS[name];
  const privateKey = createPrivateKey({ format: 'jwk', key: jwk });
  const userHandle = Buffer.from(keycloakId).toString('base64url');
  const passkey = { id, rpId: 'as.test', userHandle, privateKey };
  return signWithPasskey(passkey, optionsOn(page.body), ISSUER, counter, flags === undefined ? {} : { flags });
}

/** The form behind this text of the page. */
function sendForm(browser: Browser, page: Answer, text: string, fields: Record<string, string>): Promise<Answer> {
  const [form = ''] = page.body.slice(page.body.indexOf(text)).match(/<form .*?<\/form>/s) ?? [];
  const [, action = ''] = /action="([^"]*)"/.exec(form) ?? [];
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(form) ?? [];
  return browser.post(action, { csrf, ...fields });
}
const sendPasskey = (browser: Browser, page: Answer, credential: string): Promise<Answer> =>
  sendForm(browser, page, 'data-passkey=', { credential });

describe('a Keycloak realm', () => {
  it('brings its clients, and a service keeps its secret', async () => {
    const before = await line.run(['clients', 'list']);
    const dryRun = await line.run(['clients', 'import', '--from', 'keycloak', realm, '--dry-run']);
    expect(dryRun.out).toContain('Dry run: nothing was changed. 4 clients would be imported:');
    expect((await line.run(['clients', 'list'])).out).toBe(before.out);
    const { status, out, err } = await line.run(['clients', 'import', '--from', 'keycloak', realm]);
    expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining('created    billing\n') });
    expect(err).toContain('"saml-app" does not come: it does not use OpenID Connect');
    expect(err).toContain('"shop": redirect URI "https://shop.example/*": it has a wildcard');
    const secret = '9mQeYb4kLs7PzTnXc2VgRf8WjHdA1uKo';
    for (const text of [dryRun.out, dryRun.err, out, err]) expect(text).not.toContain(secret);
    const client = { ...scene().client, clientId: 'billing', secret };
    expect((await token(scene(), client, { grant_type: 'client_credentials' })).status).toBe(200);
    const again = await line.run(['clients', 'import', '--from', 'keycloak', realm]);
    expect(again.out).toContain('unchanged  billing\n');
  });

  it('is tried first, and nothing changes', async () => {
    const before = await everything();
    const { status, out, err } = await importing('--dry-run');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toBe(
      [
        'Dry run: nothing was changed.',
        '  5 ready',
        '  2 need a new password (mail them with "statehouse users mail-password-links")',
        '  1 sign in with an identity provider only',
        '  1 sign in with a passkey only',
        '  0 refused',
        '  (1 of them disabled)',
        '  (3 passkeys: browsers use them only at as.test)',
        'Not carried over:',
        '  1 × service account: a client has its own credentials here',
        '  1 × link to "facebook": its issuer is not known; add --issuer facebook=https://…',
        '  1 × password: Keycloak would ask for another (UPDATE_PASSWORD)',
        '  1 × required action CONFIGURE_TOTP: policies/sign-in.yaml says what is asked of a user',
        '  1 × authenticator app: its codes are not those of SHA-1, 6 digits and 30 seconds',
        '  1 × consents: the user is asked once more',
        '  1 × password: it is in the directory that Keycloak asks',
        '',
      ].join('\n'),
    );
    expect(await everything()).toEqual(before);
  });

  it.each([
    [[], 'passkey: the export does not say for which host name it was made; add --rp-id HOST'],
    [
      ['--rp-id', 'login.acme.example'],
      'passkeys.rp_id: it is not "as.test", the host name of this server: a passkey works for no other',
    ],
  ])('leaves passkeys behind that no browser would use here: %j', async (flags, reason) => {
    const args = ['users', 'import', '--from', 'keycloak', realm, '--dry-run', ...flags];
    const { out } = await line.run(args, { env });
    expect(out).toContain(`  2 × ${reason}\n`);
    expect(out).not.toContain('passkey only');
    expect(out).toContain('  3 need a new password');
  });

  it('names the users whose username gives a role here', async () => {
    const config = join(folder, 'policies');
    cpSync(new URL('../../../policies', import.meta.url).pathname, config, { recursive: true });
    writeFileSync(join(config, 'operators.yaml'), 'operators: [ADA]\nauditors: [dora]\n');
    const args = ['users', 'import', '--from', 'keycloak', realm, '--dry-run'];
    const { out } = await line.run(args, { env: { STATEHOUSE_CONFIG: config } });
    expect(out).toContain('(1 of them disabled, 2 with the username of an operator: see operators.yaml)');
  });

  it('moves in, and the pairs name each old identifier', async () => {
    const pairs = join(folder, 'pairs.jsonl');
    const { status, out, err } = await importing('--pairs', pairs);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('created    ada\n');
    expect(out).toContain('  5 ready\n');
    const lines = readFileSync(pairs, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(9);
    expect(JSON.parse(lines[2] ?? '')).toEqual({ username: 'cem', sub: 'f:a1b2c3:cem' });
    expect((await stored('ada'))?.createdAt).toEqual(new Date('2020-01-01T00:00:00.123Z'));
    for (const secret of SECRETS) expect(out + err).not.toContain(secret);
  });

  it('moves in again without a change', async () => {
    const before = await everything();
    const { status, out } = await importing();
    expect(status).toBe(0);
    expect(out.match(/^unchanged/gm)).toHaveLength(9);
    expect(out).toContain('9 stored already');
    expect(await everything()).toEqual(before);
  });

  it.each([
    ['ada', 'iceberg', '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c01'],
    ['cem', 'password', 'f:a1b2c3:cem'],
  ])('%s signs in with the password from before, and the app sees the old sub', async (username, password, sub) => {
    expect(await signIn(username, `${password}?`)).toBeNull();
    const claims = await signIn(username, password);
    expect(claims).toMatchObject({ sub, email: `${username}@example.com`, email_verified: true });
    expect((await stored(username))?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('ben needs the code of the authenticator app that he had at Keycloak', async () => {
    // The command has the time of the database. Its code was of the step before that.
    const { clock } = scene();
    clock.advanceSeconds(Math.ceil((Date.now() - clock.now().getTime()) / 1000) + 60);
    expect(await signIn('ben', 'password')).toBeNull();
    const app = appWith('KF2W62DQG52DE3LSJRGVK53GOQZWOOJQ');
    const claims = await signIn('ben', 'password', () => app.codeAt(clock.now()));
    expect(claims).toMatchObject({ sub: '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c02' });
  });

  const shownPage = async (browser: Browser) => {
    const pkce = makePkce();
    const page = await browser.get(authorizeUrl(scene().client, pkce, { scope: 'openid profile email' }));
    return { page, verifier: pkce.verifier };
  };

  it.each([
    ['gus', 'gus', '07'],
    ['ida', 'ida', '09'],
  ] as const)(
    '%s signs in with the passkey that was made at Keycloak, and types nothing',
    async (username, key, end) => {
      const browser = new Browser(scene().app, `2001:db8:${++serial}::1`);
      const { page, verifier } = await shownPage(browser);
      const credential = signed(page, key, `6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c${end}`, 1);
      const after = await sendPasskey(browser, page, credential);
      expect(await claimsAfter(browser, after, verifier)).toMatchObject({
        sub: `6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c${end}`,
        email: `${username}@example.com`,
      });
    },
  );

  it('a passkey under the handle of another user is unknown', async () => {
    const browser = new Browser(scene().app, `2001:db8:${++serial}::1`);
    const { page } = await shownPage(browser);
    const credential = signed(page, 'gus', '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c09', 2);
    expect((await sendPasskey(browser, page, credential)).body).toContain('This passkey was not accepted.');
  });

  it('the security key of gus stands behind the password, without a PIN, and never alone', async () => {
    const gus = '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c07';
    const browser = new Browser(scene().app, `2001:db8:${++serial}::1`);
    const first = await shownPage(browser);
    const alone = await sendPasskey(browser, first.page, signed(first.page, 'gus, security key', gus, 8));
    expect(alone.body).toContain('This passkey was not accepted.');
    const { page, verifier } = await shownPage(browser);
    const asked = await browser.submit(page, { username: 'gus', password: 'iceberg' });
    expect(asked.body).toContain('&#34;userVerification&#34;:&#34;preferred&#34;');
    const credential = signed(asked, 'gus, security key', gus, 9, USER_PRESENT);
    expect(await claimsAfter(browser, await sendPasskey(browser, asked, credential), verifier)).toMatchObject({
      sub: gus,
    });
  });

  it('a passkey that signs in demands its owner, also behind the password', async () => {
    const gus = '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c07';
    const browser = new Browser(scene().app, `2001:db8:${++serial}::1`);
    const { page } = await shownPage(browser);
    const asked = await browser.submit(page, { username: 'gus', password: 'iceberg' });
    const answer = await sendPasskey(browser, asked, signed(asked, 'gus', gus, 12, USER_PRESENT));
    expect(answer.body).toContain('This passkey was not accepted.');
  });

  it('gus uses a recovery code of Keycloak in the place of a factor, once', async () => {
    const sendCode = async () => {
      const browser = new Browser(scene().app, `2001:db8:${++serial}::1`);
      const { page, verifier } = await shownPage(browser);
      const asked = await browser.submit(page, { username: 'gus', password: 'iceberg' });
      const code = 'd4jh-8tnb-2rvy';
      return claimsAfter(browser, await sendForm(browser, asked, '</script>', { code }), verifier);
    };
    expect(await sendCode()).toMatchObject({ sub: '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c07' });
    expect(await sendCode()).toBeNull();
    const codes = await db().select().from(recoveryCodes);
    expect(codes.map(({ state }) => state).sort()).toEqual(['active', 'used']);
  });

  it('dora signs in at the identity provider, without another account', async () => {
    const browser = new Browser(scene().app, '2001:db8:99::1');
    const page = await signInPage(browser, scene().client);
    const sent = await pressButton(browser, page);
    const back = await browser.get(await servers.signInThere(sent.url));
    expect(back.body).toContain('name="decision"');
    const linked = await db().select().from(linkedIdentities);
    expect(linked).toHaveLength(1);
    expect(linked[0]).toMatchObject({
      userId: '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c04',
      provider: 'company',
      state: 'active',
    });
    expect(await stored('ada lovelace')).toBeUndefined();
  });

  it('eli is still disabled, and fay and hana have no password', async () => {
    expect(await signIn('eli', 'password')).toBeNull();
    expect((await stored('eli'))?.disabledAt).not.toBeNull();
    expect((await stored('fay'))?.passwordHash).toBe('');
    expect(await signIn('fay', 'password')).toBeNull();
    expect((await stored('hana'))?.claims).toMatchObject({ email: 'hana@example.com', email_verified: false });
  });

  const mailing = (...flags: string[]) => line.run(['users', 'mail-password-links', '--per-minute', '60000', ...flags]);
  /** The links in the queue, with their recipients. */
  const queued = async () => {
    const rows = await db().select().from(mails).where(eq(mails.state, 'pending'));
    return rows.map((row) => openContents(testKeys, row, new Date()) as Mail);
  };

  it('mails each user without a way to sign in a link to a password, once', async () => {
    const dryRun = await mailing('--dry-run');
    expect(dryRun.out).toBe(
      '2 users have no way to sign in.\n  1 would be mailed\n  1 have an address that is not verified (--unverified mails them)\n',
    );
    expect(await queued()).toEqual([]);
    const { status, out, err } = await mailing();
    expect({ status, err }).toEqual({ status: 0, err: '1 mailed\n' });
    expect(out).toBe(
      '2 users have no way to sign in.\n  1 mailed\n  1 have an address that is not verified (--unverified mails them)\n',
    );
    expect(await queued()).toMatchObject([
      { to: 'fay@example.com', content: { kind: 'reset_password', username: 'fay', lifetimeSeconds: 86_400 } },
    ]);
    const again = await mailing('--json');
    expect(JSON.parse(again.out)).toMatchObject({ mailed: 0, mailed_earlier: 1, unverified_address: 1 });
    expect(await queued()).toHaveLength(1);
  });

  it('mails an address that is not verified on request alone, and its link verifies the address', async () => {
    expect((await mailing('--unverified')).out).toContain('  1 mailed\n  1 have a link from the last 24 hours\n');
    const mail = (await queued()).find(({ to }) => to === 'hana@example.com');
    expect(mail?.content.kind).toBe('verify_address');
  });

  it('fay chooses a password with the link, and signs in', async () => {
    const [mail] = await queued();
    const link = mail !== undefined && 'link' in mail.content ? mail.content.link : '';
    const browser = new Browser(scene().app, '2001:db8:98::1');
    const page = await browser.get(`/email/link${new URL(link).search}`);
    await browser.submit(page, { password: 'a garden of forking paths' });
    expect(await signIn('fay', 'a garden of forking paths')).toMatchObject({
      sub: '6f1b1c9e-2f3a-4d5b-8c7d-9e0f1a2b3c06',
    });
    expect(JSON.parse((await mailing('--json')).out)).toMatchObject({ without_way_to_sign_in: 1, mailed: 0 });
  });

  it('leaves an entry of the command line in the ledger for each decision', async () => {
    const entries = await db().select().from(transitions).where(eq(transitions.actor, 'command_line'));
    const events = entries.map(({ machine, event }) => `${machine} ${event}`);
    expect(new Set(events)).toEqual(
      new Set([
        'user registrationRequested',
        'user disableRequested',
        'linkedIdentity linkRequested',
        'secondFactor confirmed',
        'passkey registered',
        'emailChallenge requested',
        'client registrationRequested',
      ]),
    );
    const registrations = entries.filter(
      ({ event, machine }) => machine === 'user' && event === 'registrationRequested',
    );
    expect(registrations).toHaveLength(9);
    // In one statement, not in one for each user.
    expect(new Set(registrations.map(({ recordedIn }) => recordedIn)).size).toBe(1);
  });

  it('brings back neither a link nor an app that was removed since', async () => {
    await removeAll();
    const before = await everything();
    expect((await importing()).out.match(/^unchanged/gm)).toHaveLength(9);
    expect(await everything()).toEqual(before);
  });
});

async function removeAll(): Promise<void> {
  const { removeIdentity } = await import('../../../src/lifecycles/linked-identity/lifecycle.ts');
  const { askSecondFactor } = await import('../../../src/lifecycles/second-factor/lifecycle.ts');
  const { linkedIdentityStore } = await import('../../../src/storage/linked-identities.ts');
  const { askPasskey } = await import('../../../src/lifecycles/passkey/lifecycle.ts');
  const { passkeyStore, secondFactorStore } = await import('../../../src/storage/factors.ts');
  const { clock } = scene();
  const ports = { sleep: async () => {} };
  for (const { id, userId } of await db().select().from(linkedIdentities))
    await removeIdentity(
      { ...ports, identities: linkedIdentityStore(db(), clock) },
      { id, userId },
      'removalRequestedByAdministrator',
    );
  for (const factor of await db().select().from(secondFactors))
    await askSecondFactor({ ...ports, secondFactors: secondFactorStore(db(), clock) }, factor, {
      type: 'removalRequestedByAdministrator',
    });
  for (const { id, userId } of await db().select().from(passkeys))
    await askPasskey(
      { ...ports, passkeys: passkeyStore(db(), clock, testMacs) },
      { id, userId },
      { type: 'removalRequestedByAdministrator', actor: commandLine },
    );
  // As housekeeping does later: the keys of the rows stay known.
  await db().delete(linkedIdentities);
  await db().delete(passkeys);
  await db().delete(recoveryCodes);
}
