/** When an access token that comes back is good: ours, in time, and its grant in force. */

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessTokenId } from '../../../src/crypto/access-token.ts';
import { revokeGrant } from '../../../src/lifecycles/grant/lifecycle.ts';
import { presentedAccessToken } from '../../../src/protocol/presented-access-token.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { exchange, makeClient, makeUser, obtainTokens, refresh, token } from '../../support/actors.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../../support/administration.ts';
import { anyDatabase } from '../../support/database.ts';
import { claimsOf, forgeriesOf, signedByUs } from '../../support/forging.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { everything, placeOf } from '../../support/stored.ts';

describe('a presented access token', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const present = (accessToken: string) => presentedAccessToken(scene.deps, accessToken);
  const reasonOf = async (accessToken: string) => {
    const presented = await present(accessToken);
    return presented.kind === 'active' ? 'active' : presented.reason;
  };
  const ofService = async (client = scene.client) =>
    (await token(scene, client, { grant_type: 'client_credentials' })).json.access_token ?? '';

  it('is active with its grant, and a check changes nothing', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const before = await everything(scene.database.drizzle);
    const presented = await present(accessToken);
    expect(presented).toMatchObject({
      kind: 'active',
      claims: { sub: scene.user.id, client_id: scene.client.clientId, iss: scene.issuer },
      grant: { id: placeOf(scene.keys, refreshToken).grantId, state: 'active' },
      client: { clientId: scene.client.clientId },
      now: scene.clock.now(),
    });
    expect(await everything(scene.database.drizzle)).toEqual(before);
  });

  it('stays active when its chain rotates', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    await refresh(scene, scene.client, refreshToken);
    expect(await reasonOf(accessToken)).toBe('active');
  });

  it('of client credentials has no grant, and its client as the subject', async () => {
    expect(await present(await ofService())).toMatchObject({
      kind: 'active',
      claims: { sub: scene.client.clientId },
      grant: null,
    });
  });

  it.each(['a grant', 'client credentials'])('of %s ends with the second that exp names', async (what) => {
    const accessToken =
      what === 'a grant' ? (await obtainTokens(scene, scene.client, scene.user)).accessToken : await ofService();
    const start = scene.clock.now();
    const { exp } = claimsOf(accessToken);
    scene.clock.set(new Date(exp * 1000 - 1));
    expect(await reasonOf(accessToken)).toBe('active');
    scene.clock.set(new Date(exp * 1000));
    expect(await reasonOf(accessToken)).toBe('access_token_expired');
    scene.clock.set(start);
  });

  it('that was forged, garbled or issued for another purpose is invalid', async () => {
    const { accessToken } = await obtainTokens(scene, scene.client, scene.user);
    expect(await reasonOf(signedByUs(scene, {}, claimsOf(accessToken)))).toBe('active');
    const reasons: Record<string, string> = {};
    for (const [what, forged] of await forgeriesOf(scene, accessToken)) reasons[what] = await reasonOf(forged);
    expect(reasons).toMatchInlineSnapshot(`
      {
        "HS256 with the public key": "access_token_forged",
        "a critical extension": "access_token_malformed",
        "a fourth part": "access_token_malformed",
        "a jti of another length": "access_token_malformed",
        "a space in the signature": "access_token_malformed",
        "a stranger under our kid": "access_token_forged",
        "a stranger under their own": "access_token_unknown_key",
        "alg none": "access_token_malformed",
        "alg none with a signature": "access_token_forged",
        "an ID Token of ours": "access_token_other_typ",
        "an aud of numbers": "access_token_malformed",
        "another alg than its key has": "access_token_forged",
        "another issuer": "access_token_other_issuer",
        "claims changed": "access_token_forged",
        "claims that are a list": "access_token_malformed",
        "expires in words": "access_token_malformed",
        "lives longer": "access_token_forged",
        "never expires": "access_token_malformed",
        "no issuer": "access_token_malformed",
        "no jti": "access_token_malformed",
        "no kid": "access_token_unknown_key",
        "no signature": "access_token_malformed",
        "no typ": "access_token_other_typ",
        "padding": "access_token_malformed",
        "two parts": "access_token_malformed",
      }
    `);
  });

  it('that is no JWT is invalid', async () => {
    const { refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    for (const text of ['', '.', '../..', 'a.b.c', '\0', 'x'.repeat(20_000), refreshToken, (await scene.code()).code]) {
      expect(await reasonOf(text)).toBe('access_token_malformed');
    }
  });

  it('with a grant that is missing, or belongs to another client, is invalid', async () => {
    const { accessToken } = await obtainTokens(scene, scene.client, scene.user);
    const claims = claimsOf(accessToken);
    const jti = accessTokenId({ grantId: scene.deps.random.uuid() }, scene.deps.random.bytes(16));
    expect(await reasonOf(signedByUs(scene, {}, { ...claims, jti }))).toBe('grant_unknown');
    const { clientId } = scene.other;
    expect(await reasonOf(signedByUs(scene, {}, { ...claims, client_id: clientId }))).toBe('grant_unknown');
    expect(await reasonOf(signedByUs(scene, {}, { ...claims, client_id: 'unknown' }))).toBe('grant_unknown');
  });

  it('ends with its grant: revoked, or a token of its chain presented twice', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const { grantId } = placeOf(scene.keys, refreshToken);
    const loaded = await scene.deps.store.load({ clientId: scene.client.clientId, grantId });
    if (!loaded.grant) throw new Error('no grant');
    await revokeGrant({ store: scene.deps.store, sleep: async () => {} }, { ...loaded, grant: loaded.grant });
    expect(await reasonOf(accessToken)).toBe('grant_revoked');

    const code = await scene.code();
    const { json } = await exchange(scene, scene.client, code);
    await exchange(scene, scene.client, code);
    expect(await reasonOf(json.access_token ?? '')).toBe('grant_revoked');
  });

  it('ends with its user, its client and its epoch, and for good', async () => {
    const client = await makeClient(scene);
    const user = await makeUser(scene);
    const { drizzle } = scene.database;
    const { secret: _, ...registration } = client;
    const fresh = async () => (await obtainTokens(scene, client, user)).accessToken;

    const ofPerson = await fresh();
    await disableUser(drizzle, user.username);
    expect(await reasonOf(ofPerson)).toBe('user_ended');
    await enableUser(drizzle, user.username);
    expect(await reasonOf(ofPerson)).toBe('user_ended');

    const ofTheClient = await fresh();
    const ofItself = await ofService(client);
    await deleteClient(drizzle, client.clientId);
    expect([await reasonOf(ofTheClient), await reasonOf(ofItself)]).toEqual(['client_ended', 'client_ended']);
    await saveClient(drizzle, registration);
    expect([await reasonOf(ofTheClient), await reasonOf(ofItself)]).toEqual(['client_ended', 'client_ended']);
    expect(await reasonOf(await ofService(client))).toBe('active');

    const ofTheServer = await fresh();
    await raiseServerEpoch(drizzle);
    expect(await reasonOf(ofTheServer)).toBe('server_epoch_raised');
  });

  it('of client credentials ends when it is revoked, and no other with it', async () => {
    const [one, another] = [await ofService(), await ofService()];
    const { jti, client_id: clientId, exp } = claimsOf(one);
    const denial = { jti, clientId, endsAt: new Date(exp * 1000) };
    await scene.deps.deniedAccessTokens.deny({ ...denial, clientId: scene.other.clientId, jti: claimsOf(another).jti });
    await scene.deps.deniedAccessTokens.deny(denial);
    await scene.deps.deniedAccessTokens.deny(denial);
    expect([await reasonOf(one), await reasonOf(another)]).toEqual(['access_token_denied', 'active']);
    expect(
      await scene.database.drizzle.execute(sql`select 1 from denied_access_tokens where jti = ${jti}`),
    ).toBeTruthy();
  });

  it('signed with a retired key is invalid', async () => {
    const accessToken = await ofService();
    const deps = { ...scene.deps, keyRing: { ...scene.deps.keyRing, verifierOf: () => null } };
    expect(await presentedAccessToken(deps, accessToken)).toEqual({
      kind: 'inactive',
      reason: 'access_token_unknown_key',
    });
  });
});
