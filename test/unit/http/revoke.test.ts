/** POST /oauth/revoke (RFC 7009): the grant behind a token ends, and no other. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppDeps } from '../../../src/boot/wiring.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { presentedAccessToken } from '../../../src/protocol/presented-access-token.ts';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import { deniedAccessTokens } from '../../../src/storage/schema.ts';
import { exchange, makeClient, makeUser, obtainTokens, refresh, type TestClient, token } from '../../support/actors.ts';
import { disableUser } from '../../support/administration.ts';
import { clockAt } from '../../support/clock.ts';
import { anyDatabase } from '../../support/database.ts';
import { claimsOf, forgeriesOf } from '../../support/forging.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { revoke } from '../../support/sent-token.ts';
import { everything, ledgerOf, placeOf, storedGrant } from '../../support/stored.ts';

const DAY_SECONDS = 86_400;

describe('revocation', () => {
  let scene: Scene;
  let app: TestClient;
  let brokenDeny: (() => Promise<never>) | null = null;
  let brokenRevoke: (() => Promise<never>) | null = null;
  beforeAll(async () => {
    const change = (deps: AppDeps): AppDeps => ({
      ...deps,
      deniedAccessTokens: {
        ...deps.deniedAccessTokens,
        deny: (denial) => (brokenDeny ? brokenDeny() : deps.deniedAccessTokens.deny(denial)),
      },
      store: {
        ...deps.store,
        commit: (commit) => (brokenRevoke && commit.kind === 'revoke' ? brokenRevoke() : deps.store.commit(commit)),
      },
    });
    scene = await openScene(anyDatabase, { change });
    app = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
  });
  afterAll(() => scene.close());

  const db = () => scene.database.drizzle;
  const isActive = async (accessToken: string) =>
    (await presentedAccessToken(scene.deps, accessToken)).kind === 'active';
  const ofService = async (client = scene.client) =>
    (await token(scene, client, { grant_type: 'client_credentials' })).json.access_token ?? '';
  const DONE = { status: 200, json: {} };

  it.each(['confidential', 'public'])('a refresh token ends its chain: %s client', async (what) => {
    const client = what === 'public' ? app : scene.client;
    const { accessToken, refreshToken } = await obtainTokens(scene, client, scene.user);
    const { grantId } = placeOf(scene.keys, refreshToken);
    expect(await revoke(scene, client, refreshToken)).toMatchObject(DONE);
    expect(await storedGrant(db(), grantId)).toMatchObject({ state: 'revoked', revokedReason: 'revocation_requested' });
    expect((await ledgerOf(db(), grantId)).filter((line) => line.includes('revoked'))).toEqual([
      'grant: active → revoked (revocation_requested)',
    ]);
    expect((await refresh(scene, client, refreshToken)).json.error).toBe('invalid_grant');
    expect(await isActive(accessToken)).toBe(false);
  });

  it('a used one does too, and so does an expired one', async () => {
    const used = await scene.chain();
    const head = (await refresh(scene, scene.client, used)).json.refresh_token ?? '';
    expect(await revoke(scene, scene.client, used)).toMatchObject(DONE);
    expect((await refresh(scene, scene.client, head)).json.error).toBe('invalid_grant');

    const expired = await scene.chain();
    scene.clock.advanceSeconds(400 * DAY_SECONDS);
    expect(await revoke(scene, scene.client, expired)).toMatchObject(DONE);
    expect((await storedGrant(db(), placeOf(scene.keys, expired).grantId)).revokedReason).toBe('revocation_requested');
  });

  it('an access token ends its grant', async () => {
    const code = await scene.code();
    const { json } = await exchange(scene, scene.client, code);
    const next = (await refresh(scene, scene.client, json.refresh_token ?? '')).json;
    expect(await revoke(scene, scene.client, json.access_token ?? '')).toMatchObject(DONE);
    for (const one of [json, next]) {
      expect(await isActive(one.access_token ?? '')).toBe(false);
      expect((await refresh(scene, scene.client, one.refresh_token ?? '')).json.error).toBe('invalid_grant');
    }
  });

  it('only that grant', async () => {
    const [one, another] = [
      await obtainTokens(scene, scene.client, scene.user),
      await obtainTokens(scene, scene.client, scene.user),
    ];
    await revoke(scene, scene.client, one.refreshToken);
    expect(await isActive(another.accessToken)).toBe(true);
    expect((await refresh(scene, scene.client, another.refreshToken)).status).toBe(200);
  });

  it('an access token of client credentials is denied until its expiry, and only that one', async () => {
    const [one, another] = [await ofService(), await ofService()];
    for (let times = 0; times < 2; times++) expect(await revoke(scene, scene.client, one)).toMatchObject(DONE);
    expect([await isActive(one), await isActive(another)]).toEqual([false, true]);
    const stored = () => db().select().from(deniedAccessTokens);
    const { jti, exp } = claimsOf(one);
    expect(await stored()).toEqual([{ jti, clientId: scene.client.clientId, endsAt: new Date(exp * 1000) }]);

    await housekeeper(db(), clockAt(new Date(exp * 1000))).cleanUp();
    expect(await stored()).toHaveLength(1);
    // An hour later no clock can be so wrong that the token is good again.
    await housekeeper(db(), clockAt(new Date(exp * 1000 + 3_600_001))).cleanUp();
    expect(await stored()).toEqual([]);
  });

  describe('is 200 and changes nothing', () => {
    async function expectNothing(client: TestClient, sent: string) {
      const before = await everything(db());
      expect(await revoke(scene, client, sent)).toMatchObject(DONE);
      expect(await everything(db())).toEqual(before);
    }

    it("for another client's tokens, without a notice to their owner", async () => {
      const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
      const service = await ofService();
      for (const thief of [scene.other, app]) {
        for (const one of [accessToken, refreshToken, service]) await expectNothing(thief, one);
      }
      expect([await isActive(accessToken), await isActive(service)]).toEqual([true, true]);
      expect((await refresh(scene, scene.client, refreshToken)).status).toBe(200);
    });

    it('for an authorization code, which is no token', async () => {
      const code = await scene.code();
      await expectNothing(scene.client, code.code);
      expect((await exchange(scene, scene.client, code)).status).toBe(200);
    });

    it('for a forged or garbled token', async () => {
      const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
      for (const forged of (await forgeriesOf(scene, accessToken)).values()) await expectNothing(scene.client, forged);
      for (const garbled of [`${refreshToken}A`, refreshToken.slice(0, -1), refreshToken.toUpperCase()]) {
        await expectNothing(scene.client, garbled);
      }
      expect(await isActive(accessToken)).toBe(true);
    });

    it('for an ended token: expired, revoked, or with its user', async () => {
      const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
      const service = await ofService();
      await revoke(scene, scene.client, refreshToken);
      await expectNothing(scene.client, refreshToken);
      await expectNothing(scene.client, accessToken);
      const user = await makeUser(scene);
      const disabled = await obtainTokens(scene, scene.client, user);
      await disableUser(db(), user.username);
      await expectNothing(scene.client, disabled.refreshToken);
      await expectNothing(scene.client, disabled.accessToken);
      scene.clock.advanceSeconds(3600);
      await expectNothing(scene.client, service);
    });
  });

  it('503 with Retry-After after any outcome of the commit: a retry is safe', async () => {
    const { refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const service = await ofService();
    brokenRevoke = brokenDeny = async () => {
      throw new StoreUnavailable(true);
    };
    const answers = [await revoke(scene, scene.client, refreshToken), await revoke(scene, scene.client, service)];
    brokenRevoke = brokenDeny = null;
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
      expect(answer.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
      expect(String(answer.json['error_description'])).toContain('Repeating this request is safe');
    }
    expect(scene.logs().includes('commit_unknown')).toBe(true);
    expect(await revoke(scene, scene.client, refreshToken)).toMatchObject(DONE);
  });

  it('the log names what ended, and holds no token', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const service = await ofService();
    for (const one of [refreshToken, accessToken, service]) {
      await revoke(scene, scene.client, one);
      await revoke(scene, scene.other, one);
    }
    const logs = scene.logs();
    for (const one of [refreshToken, accessToken, service]) {
      expect(logs).not.toContain(one);
      expect(logs).not.toContain(one.split('.').at(-1));
    }
    const { grantId } = placeOf(scene.keys, refreshToken);
    const lines = logs
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => line.route === '/oauth/revoke');
    expect(lines.slice(-6)).toMatchObject([
      { msg: 'revoked', clientId: scene.client.clientId, grantId, ended: 'grant' },
      { msg: 'revoked', clientId: scene.other.clientId, ended: 'nothing', reason: 'client_mismatch' },
      { clientId: scene.client.clientId, ended: 'nothing', reason: 'grant_revoked' },
      { clientId: scene.other.clientId, ended: 'nothing', reason: 'grant_revoked' },
      { clientId: scene.client.clientId, ended: 'access_token' },
      { clientId: scene.other.clientId, ended: 'nothing', reason: 'access_token_denied' },
    ]);
  });
});
