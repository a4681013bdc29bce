/**
 * A writer with the database rights of the server, without the root secret: inserted rows give no authority.
 * The attacker knows every row, and has an account. Attacks that remain possible are in SECURITY.md.
 */
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { exportJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { hashPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { NO_PARAMETERS } from '../../../src/people/external/begin.ts';
import { openSecret, sealSecret } from '../../../src/people/second-factor/secret.ts';
import { clientStore } from '../../../src/storage/client-store.ts';
import { externalSignInStore } from '../../../src/storage/external-sign-ins.ts';
import { passkeyStore, secondFactorStore, trustedBrowserStore } from '../../../src/storage/factors.ts';
import { renewRowMacs } from '../../../src/storage/renew-row-macs.ts';
import { ignoredSigningKeys } from '../../../src/storage/signing-keys.ts';
import { findRegisteredUser, usersWithAddress } from '../../../src/storage/users.ts';
import {
  authorizeUrl,
  makeClient,
  makePkce,
  makeUser,
  obtainTokens,
  PASSWORD,
  REDIRECT_URI,
  type TestClient,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { ISSUER, openTestApp, type TestApp, testKeys } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { linkPorts } from '../../support/links.ts';
import { testMacs } from '../../support/macs.ts';
import { openAsRuntimeRole, type RuntimeRole } from '../../support/runtime-role.ts';

let owner: TestDatabase<string>;
let role: RuntimeRole;
let app: TestApp;
let client: TestClient;
let victim: TestUser;
let attacker: TestUser;
beforeAll(async () => {
  owner = await openTestDatabase('postgres');
  role = await openAsRuntimeRole(owner.database, owner.url);
  // The ledger takes no entry of another time from this role.
  app = await openTestApp(role.database, { clock: testClock(new Date()) });
  client = await makeClient(app);
  victim = await makeUser(app, 'victim');
  attacker = await makeUser(app, 'attacker');
});
afterAll(async () => {
  await app.app.close();
  await role.close();
  await owner.close();
});

/** As the role of the server: nothing here is done with the rights of an owner. */
const write = async <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  Array.from((await role.database.drizzle.execute(statement)) as unknown as Iterable<Row>);

/** The database refuses, by this trigger. */
const refusedBy = (rule: string, attempt: Promise<unknown>) =>
  expect(attempt).rejects.toMatchObject({ cause: { code: 'SH001', constraint_name: rule } });

const ADDRESS = 'ada@example.com';
const DELEGATED = {
  id: randomUUID(),
  kind: 'delegated',
  purpose: 'signIn',
  provider: 'delegated',
  browserHash: randomBytes(32),
  interactionId: null,
  interactionEndsAt: null,
  sealedInteraction: null,
  sealedSecrets: null,
  userId: null,
  requested: NO_PARAMETERS,
  lifetimeSeconds: 600,
} as const;

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest();
const SESSION_COOKIE = '__Host-statehouse-session';
const accountOf = (cookie: string) =>
  app.app.inject({ url: '/account', headers: { cookie: `${SESSION_COOKIE}=${cookie}` } });
const isSignedIn = async (cookie: string): Promise<boolean> => (await accountOf(cookie)).statusCode === 200;

async function signIn(user: TestUser, password = PASSWORD) {
  const browser = new Browser(app.app);
  const page = await browser.get('/sign-in');
  const answer = await browser.submit(page, { username: user.username, password });
  return { browser, answer, cookie: browser.cookies.get(SESSION_COOKIE) ?? null };
}

const insertSession = (cookie: string, mac: Buffer | null) => {
  const now = sql`${app.clock.fixedNow()?.toISOString()}::timestamptz`;
  return write(sql`insert into sessions (id_hash, user_id, user_epoch, server_epoch, signed_in_at, last_used_at, ends_at, mac)
    values (${sha256(cookie)}, ${victim.id}, 0, 0, ${now}, ${now}, ${now} + interval '1 day', ${mac})`);
};

describe('an attacker who can write to the database', () => {
  it('creates no session by inserting a row for a cookie of their own', async () => {
    const cookie = randomBytes(32).toString('base64url');
    for (const mac of [null, Buffer.alloc(36), randomBytes(36)]) {
      await write(sql`delete from sessions where id_hash = ${sha256(cookie)}`);
      await insertSession(cookie, mac);
      expect(await isSignedIn(cookie)).toBe(false);
    }
  });

  it('creates no session of another user from a session of their own', async () => {
    const { cookie } = await signIn(attacker);
    if (cookie === null) throw new Error('not signed in');
    expect(await isSignedIn(cookie)).toBe(true);
    const columns = sql`user_epoch, server_epoch, signed_in_at, amr, last_used_at, ends_at, state, user_agent, mac, mac_version`;
    const again = (sid: ReturnType<typeof sql>) =>
      write(sql`with mine as (delete from sessions where id_hash = ${sha256(cookie)} returning *)
        insert into sessions (id_hash, sid, user_id, ${columns}) select id_hash, ${sid}, ${victim.id}::uuid, ${columns} from mine`);
    await refusedBy('sessions_begins_once', again(sql`sid`));
    await again(sql`gen_random_uuid()`);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  it('hides no session by a row with the hash of its cookie, its `sid`, or both, for another end-user', async () => {
    // Postgres finds the row of the lower `sub` first.
    const [other, owner] = [victim, attacker].toSorted((one, another) => (one.id < another.id ? -1 : 1)) as [
      TestUser,
      TestUser,
    ];
    const { cookie } = await signIn(owner);
    if (cookie === null) throw new Error('not signed in');
    const columns = sql`user_epoch, server_epoch, amr, last_used_at, ends_at, state, user_agent, mac, mac_version`;
    await write(sql`insert into sessions (id_hash, sid, user_id, signed_in_at, ${columns})
      select id_hash, sid, ${other.id}::uuid, signed_in_at - interval '1 day', ${columns} from sessions where id_hash = ${sha256(cookie)}`);
    expect(await isSignedIn(cookie)).toBe(true);
    // Nor from an authorization request, which loads the session beside the client.
    const silently = new Browser(app.app);
    silently.cookies.set(SESSION_COOKIE, cookie);
    const { headers } = await silently.send('GET', authorizeUrl(client, makePkce(), { prompt: 'none' }), null);
    expect(String(headers['location'])).not.toContain('login_required');
    await write(
      sql`update sessions set state = 'ended', ended_reason = 'signed_out' where user_id = ${other.id}::uuid`,
    );
    expect(await isSignedIn(cookie)).toBe(true);
  });

  it('creates no authenticator app of another user from an app of their own, not even under its id', async () => {
    const secret = 'JBSWY3DPEHPK3PXP';
    const own = { id: randomUUID(), userId: attacker.id };
    const sealedSecret = sealSecret({ keys: testKeys, random: systemRandom }, own, secret);
    await secondFactorStore(role.database.drizzle, app.clock).insertApp({ ...own, sealedSecret });
    await write(sql`insert into second_factors (id, user_id, state, sealed_secret, created_at)
      select id, ${victim.id}::uuid, state, sealed_secret, created_at from second_factors where id = ${own.id}::uuid`);
    const copies = await secondFactorStore(role.database.drizzle, app.clock).listApps(victim.id);
    expect(copies.map((copy) => [copy.id, openSecret(testKeys, copy)])).toEqual([[own.id, null]]);
    await write(sql`delete from second_factors where id = ${own.id}::uuid`);
  });

  it('gets no tokens for an invented code', async () => {
    const { verifier, challenge } = makePkce();
    const grantId = randomUUID();
    const secret = randomBytes(32);
    await write(sql`insert into grants (id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
        policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at)
      values (${grantId}, ${client.clientId}, ${victim.id}, 0, 0, 0, '{}', '{https://api.example.com}', 'default',
        ${sha256(secret)}, ${challenge}, ${REDIRECT_URI}, now() + interval '1 minute', 'active', now())`);
    const code = `sh_ac_${Buffer.concat([Buffer.from(grantId.replaceAll('-', ''), 'hex'), secret]).toString('base64url')}`;
    const answer = await token(app, client, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
    });
    expect(answer.json).toMatchObject({ error: 'invalid_grant' });
    expect(app.logs()).toContain('authorization_code_unknown');
  });

  it('creates no refresh token, though they know the nonce of its place', async () => {
    await obtainTokens(app, client, victim);
    const [grant] = await write<{ id: string; nonce: Buffer }>(
      sql`select id, refresh_nonce as nonce from grants where user_id = ${victim.id} and refresh_generation = 0 limit 1`,
    );
    if (!grant) throw new Error('no grant');
    const payload = Buffer.concat([
      Buffer.from([1]),
      Buffer.from(testKeys.first.id, 'hex'),
      Buffer.from(grant.id.replaceAll('-', ''), 'hex'),
      Buffer.alloc(8),
      grant.nonce,
      randomBytes(32),
    ]);
    const answer = await token(app, client, {
      grant_type: 'refresh_token',
      refresh_token: `sh_rt_${payload.toString('base64url')}`,
    });
    expect(answer.json).toMatchObject({ error: 'invalid_grant' });
  });

  it('publishes no key, and issues no token', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kid = 'a-key-of-the-attacker';
    const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
    const [genuine] = await write<{ mac: Buffer }>(sql`select mac from signing_keys where alg = 'ES256' limit 1`);
    await write(sql`insert into signing_keys (kid, alg, public_jwk, private_jwe, state, may_sign_at, mac)
      values (${kid}, 'ES256', ${JSON.stringify(jwk)}::jsonb, 'sealed', 'published', now(), ${genuine?.mac ?? null})`);
    await app.deps.keepKeys();
    const jwks = (await app.app.inject('/.well-known/jwks.json')).json();
    expect(jwks.keys.length).toBeGreaterThan(0);
    expect(jwks.keys.map((key: { kid: string }) => key.kid)).not.toContain(kid);
    expect(app.logs()).toContain(`"kids":["${kid}"],"alarm":true`);
    const ignored = await ignoredSigningKeys(role.database.drizzle, rowMacs(app.keys));
    expect(ignored.map((key) => key.kid)).toEqual([kid]);
    const minted = await new SignJWT({ sub: victim.id, client_id: client.clientId, scope: 'openid' })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
      .setIssuer(ISSUER)
      .setAudience(`${ISSUER}/oauth/userinfo`)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    const answer = await app.app.inject({ url: '/oauth/userinfo', headers: { authorization: `Bearer ${minted}` } });
    expect(answer.statusCode).toBe(401);
    await write(sql`update signing_keys set state = 'retired', private_jwe = null, retired_at = now(),
      retired_reason = 'revocation_requested' where kid = ${kid}`);
  });

  it('signs in as no user by a password hash of their own, nor by a copied or kept one', async () => {
    const victim = await makeUser(app);
    const known = 'a password that the attacker knows';
    const hash = await hashPassword(rawSecret(known));
    await write(sql`update users set password_hash = ${hash} where id = ${victim.id}`);
    expect((await signIn(victim, known)).cookie).toBeNull();
    const copied = (version: ReturnType<typeof sql>) =>
      write(sql`update users set (password_hash, mac, mac_version) = (select password_hash, mac, ${version} from users where id = ${attacker.id})
        where id = ${victim.id}`);
    await refusedBy('users_mac_moves_on', copied(sql`0`));
    await copied(sql`1`);
    expect((await signIn(victim)).cookie).toBeNull();
  });

  it('does not make another row authentic by a later change of the server', async () => {
    const someone = await makeUser(app, 'someone');
    const known = 'a password that the attacker knows';
    await write(sql`update users set password_hash = ${await hashPassword(rawSecret(known))} where id = ${someone.id}`);
    const { administerUser } = await import('../../../src/registration/administration.ts');
    const { theServer } = await import('../../../src/model/actor.ts');
    const deps = { db: role.database.drizzle, macs: testMacs, actor: theServer };
    for (const type of ['disableRequested', 'enableRequested'] as const) {
      expect((await administerUser(deps, { id: someone.id, change: { type } })).kind).toBe('done');
    }
    expect((await signIn(someone, known)).cookie).toBeNull();
  });

  it('gets no role by taking the name of an operator', async () => {
    const impostor = await makeUser(app, 'impostor');
    expect(await app.deps.usernameOf(impostor.id)).toBe('impostor');
    await write(sql`update users set username = 'root', username_key = 'root' where id = ${impostor.id}`);
    expect(await app.deps.usernameOf(impostor.id)).toBeNull();
  });

  it('gives no client another redirect URI, authentication method, secret or scope', async () => {
    const other = await makeClient(app);
    const change = (set: ReturnType<typeof sql>) =>
      write(sql`update clients set ${set} where client_id = ${client.clientId}`);
    const isAccepted = async (secret = client.secret) =>
      (await token(app, { ...client, secret }, { grant_type: 'client_credentials' })).status !== 401;
    const evil = 'https://evil.example/callback';
    const authorizes = async (uri: string) => {
      const query = {
        client_id: client.clientId,
        redirect_uri: uri,
        response_type: 'code',
        code_challenge_method: 'S256',
      };
      const asked = new URLSearchParams({ ...query, code_challenge: makePkce().challenge, scope: 'read' });
      return (await app.app.inject(`/oauth/authorize?${asked}`)).statusCode < 400;
    };
    expect([await isAccepted(), await authorizes(REDIRECT_URI), await authorizes(evil)]).toEqual([true, true, false]);
    const [before] = await write<Record<string, unknown>>(
      sql`select * from clients where client_id = ${client.clientId}`,
    );
    for (const [set, back] of [
      [
        sql`redirect_uris = ${sql.param([evil, REDIRECT_URI])}::text[]`,
        sql`redirect_uris = ${sql.param(before?.['redirect_uris'])}::text[]`,
      ],
      [
        sql`token_endpoint_auth_method = 'none'`,
        sql`token_endpoint_auth_method = ${before?.['token_endpoint_auth_method']}`,
      ],
      [
        sql`secret_macs = (select secret_macs from clients where client_id = ${other.clientId})`,
        sql`secret_macs = ${JSON.stringify(before?.['secret_macs'])}::text::jsonb`,
      ],
      [sql`scope = '{management}'`, sql`scope = null`],
      [sql`registered_by = 'self'`, sql`registered_by = 'operator'`],
    ] as const) {
      await change(set);
      expect([await isAccepted(), await isAccepted(other.secret)]).toEqual([false, false]);
      expect([await authorizes(REDIRECT_URI), await authorizes(evil)]).toEqual([false, false]);
      await change(back);
    }
    expect([await isAccepted(), await authorizes(REDIRECT_URI)]).toEqual([true, true]);
    const [theirs] = await write<{ mac: Buffer; token: Buffer }>(
      sql`select mac, token_mac as token from clients where client_id = ${other.clientId}`,
    );
    await refusedBy('clients_mac_moves_on', change(sql`mac = ${theirs?.mac}, token_mac = ${theirs?.token}`));
  });

  it('restores no secret of a client that was replaced', async () => {
    const leaked = await makeClient(app);
    const [before] = await write<{ secrets: unknown; mac: Buffer; token: Buffer }>(
      sql`select secret_macs as secrets, mac, token_mac as token from clients where client_id = ${leaked.clientId}`,
    );
    const { administerClient } = await import('../../../src/registration/administration.ts');
    const { theServer } = await import('../../../src/model/actor.ts');
    const deps = { db: role.database.drizzle, macs: testMacs, actor: theServer };
    const secret = storedSecretMac(testKeys, rawSecret('another secret, which did not leak'));
    const change = { type: 'secretReplacementRequested', secret } as const;
    expect((await administerClient(deps, leaked.clientId, { change })).kind).toBe('done');
    const back = (version: number) =>
      write(sql`update clients set secret_macs = ${JSON.stringify(before?.secrets)}::text::jsonb, mac = ${before?.mac}, token_mac = ${before?.token},
        mac_version = ${version} where client_id = ${leaked.clientId}`);
    await refusedBy('clients_mac_moves_on', back(0));
    await back(2);
    expect((await token(app, leaked, { grant_type: 'client_credentials' })).json).toMatchObject({
      error: 'invalid_client',
    });
    // Nor does a change of another column.
    const { row } = await clientStore(deps.db, app.clock, testMacs).load(leaked.clientId);
    expect(row.client).toMatchObject({ redirectUris: [], grantTypes: [], scope: [] });
    await administerClient(deps, leaked.clientId, { change: { type: 'secretRequested', secret } });
    expect((await token(app, leaked, { grant_type: 'client_credentials' })).json).toMatchObject({
      error: 'invalid_client',
    });
  });

  it('makes no consent remembered, and adds no scope to one', async () => {
    const { permissions } = app.deps;
    const victim = await makeUser(app);
    const remembered = async () => (await permissions.load(victim.id)).consents;
    await write(sql`insert into consents (user_id, client_id, user_epoch, client_epoch, scope, resources, granted_at)
      values (${victim.id}, ${client.clientId}, 0, 0, '{read}', '{https://api.example.com}', now())`);
    expect(await remembered()).toEqual([]);
    await write(sql`delete from consents where user_id = ${victim.id}`);
    await obtainTokens(app, client, victim);
    const [before] = await remembered();
    expect(before?.scope.length).toBeGreaterThan(0);
    await write(sql`update consents set scope = scope || '{everything}' where user_id = ${victim.id}`);
    expect(await remembered()).toEqual([]);
    // The next approval adds no scope of it.
    await obtainTokens(app, client, victim);
    expect(await remembered()).toMatchObject([{ scope: before?.scope }]);
  });

  it('adds no passkey to an account', async () => {
    const passkeys = passkeyStore(role.database.drizzle, app.clock, testMacs);
    const credentialId = randomBytes(16);
    await write(sql`insert into passkeys (id, user_id, state, name, credential_id, public_key, counter, backup_eligible, transports, created_at)
      values (${randomUUID()}, ${victim.id}, 'active', 'mine', ${credentialId}, ${randomBytes(77)}, 0, false, '{}', now())`);
    expect(await passkeys.load({ credentialId })).toBeNull();
  });

  it('makes no trusted browser', async () => {
    const store = trustedBrowserStore(role.database.drizzle, app.clock, testMacs);
    const secretHash = randomBytes(32);
    await write(sql`insert into trusted_browsers (id, user_id, state, secret_hash, user_epoch, server_epoch, factor_id, created_at, ends_at)
      values (${randomUUID()}, ${victim.id}, 'active', ${secretHash}, 0, 0, ${randomUUID()}, now(), now() + interval '1 day')`);
    expect(await store.find(victim.id, [secretHash])).toBeNull();
    expect(await store.list(victim.id)).toEqual([]);
  });

  it('answers no federated sign-in, and links no account', async () => {
    const store = externalSignInStore(role.database.drizzle, app.clock, testMacs);
    const referenceHash = sha256('a reference of the attacker');
    await write(sql`insert into external_sign_ins (id, reference_hash, kind, purpose, provider, browser_hash, wishes, state, began_at, ends_at)
      values (${randomUUID()}, ${referenceHash}, 'delegated', 'signIn', 'delegated', ${sha256('browser')}, '{}', 'awaiting', now(), now() + interval '10 minutes')`);
    await write(sql`update external_sign_ins set state = 'answered', user_id = ${victim.id}, amr = '{pwd}', authenticated_at = now()
      where reference_hash = ${referenceHash}`);
    expect(await store.find(referenceHash)).toBeNull();
    expect(await store.load(referenceHash, { by: 'signIn', identity: null } as never, [])).toBeNull();
  });

  it('signs in as no other user at an identity provider by writing their own `sub` into the row', async () => {
    const store = externalSignInStore(role.database.drizzle, app.clock, testMacs);
    const target = await makeUser(app, 'target');
    const referenceHash = sha256('a reference of the server');
    await store.insert({ ...DELEGATED, referenceHash });
    const found = async (username: string) =>
      (await store.load(referenceHash, { by: 'username', username }, []))?.user?.id ?? null;
    expect(await found('target')).toBe(target.id);
    await write(sql`update users set username_key = 'mallory' where id = ${target.id}`);
    expect(await found('mallory')).toBeNull();
  });

  it('creates no mail link, reassigns none to another user, and extends none', async () => {
    const links = linkPorts({ database: role.database, clock: app.clock });
    const secretHash = sha256('a secret of the attacker');
    const columns = sql`purpose, state, user_epoch, address, created_at`;
    const mallory = await makeUser(app, undefined, { email: ADDRESS, email_verified: true });
    const own = await links.ask('reset_password', mallory.id, ADDRESS);
    for (const mac of [null, randomBytes(36)])
      await write(sql`insert into email_challenges (id, secret_hash, person, user_id, ends_at, mac, ${columns})
        select ${randomUUID()}::uuid, ${mac === null ? secretHash : sha256(mac)}::bytea, ${victim.id}, ${victim.id}::uuid, ends_at, ${mac}::bytea,
          'undo_change', state, user_epoch, address, created_at from email_challenges where id = ${own.id}`);
    const unknown = { kind: 'rejected', reason: 'link_unknown' };
    expect(await links.press({ ...own, purpose: 'verify_address', secretHash })).toEqual(unknown);
    const again = (id: ReturnType<typeof sql>, change: ReturnType<typeof sql>) =>
      write(sql`with mine as (delete from email_challenges where secret_hash = ${own.secretHash} returning *)
        insert into email_challenges (id, secret_hash, mac, mac_version, ${columns}, person, user_id, ends_at)
        select ${id}, secret_hash, mac, mac_version, ${columns}, ${change} from mine`);
    await refusedBy('email_challenges_begins_once', again(sql`id`, sql`person, user_id, ends_at`));
    await again(sql`gen_random_uuid()`, sql`${victim.id}, ${victim.id}::uuid, ends_at`);
    expect(await links.press(own)).toEqual(unknown);
    await again(sql`gen_random_uuid()`, sql`${mallory.id}, ${mallory.id}::uuid, ends_at + interval '1 year'`);
    expect(await links.press(own)).toEqual(unknown);
    // A row of the victim beside it, with the hash of a secret that the attacker knows, gives it no end-user.
    const beside = await links.ask('reset_password', mallory.id, ADDRESS);
    await write(sql`insert into email_challenges (id, secret_hash, person, user_id, ends_at, ${columns})
      select gen_random_uuid(), secret_hash, ${victim.id}, ${victim.id}::uuid, ends_at, 'undo_change', state, user_epoch, address,
        created_at + interval '1 second' from email_challenges where id = ${beside.id}`);
    await write(sql`update email_challenges set state = 'used' where person = ${victim.id}`);
    expect(await links.press(beside)).toEqual(unknown);
  });

  it('gets no password link to an address of their own', async () => {
    const { drizzle } = role.database;
    const links = linkPorts({ database: role.database, clock: app.clock });
    const someone = await makeUser(app, undefined, { email: 'someone@example.com', email_verified: true });
    const theirs = await links.ask('reset_password', someone.id, 'someone@example.com');
    await write(sql`update users set claims = claims || '{"email": "mallory@example.com"}' where id = ${someone.id}`);
    expect(await usersWithAddress(drizzle, testMacs, 'mallory@example.com', 5)).toEqual([]);
    expect(await findRegisteredUser(drizzle, testMacs, someone.id)).toBeNull();
    // Nor do links of any requester change the account meanwhile.
    expect(await links.press(theirs)).toEqual({ kind: 'rejected', reason: 'link_unknown' });
    await write(sql`update users set claims = claims || '{"email": "someone@example.com"}' where id = ${someone.id}`);
    expect(await usersWithAddress(drizzle, testMacs, 'SOMEONE@example.com', 5)).toMatchObject([{ id: someone.id }]);
    expect(await links.press(theirs)).toMatchObject({ kind: 'used' });
    expect(await findRegisteredUser(drizzle, testMacs, someone.id)).toMatchObject({ id: someone.id });
    // The row still shows that a mailbox set the password: it may not remove the factors as well.
    await write(sql`update users set password_by_link_at = null where id = ${someone.id}`);
    expect(await findRegisteredUser(drizzle, testMacs, someone.id)).toBeNull();
  });

  it('makes no inserted row authentic by a rotation of the root secret', async () => {
    const rotated = rowMacs(
      rootKeys(['the next root secret, of at least 32 bytes', 'a root secret for tests, of more than 32 bytes']),
    );
    const cookie = randomBytes(32).toString('base64url');
    const mac = Buffer.concat([Buffer.from(testKeys.first.id, 'hex'), randomBytes(32)]);
    await insertSession(cookie, mac);
    await renewRowMacs(role.database.drizzle, rotated);
    const [forged] = await write<{ mac: Buffer | null }>(
      sql`select mac from sessions where id_hash = ${sha256(cookie)}`,
    );
    expect(forged?.mac).toEqual(mac);
  });
});
