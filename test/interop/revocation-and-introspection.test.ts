/** Revocation (RFC 7009) and introspection (RFC 7662) as oauth4webapi and openid-client understand them. */
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { obtainTokens, refresh, token } from '../support/actors.ts';
import { judged } from '../support/interop.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

describe('token revocation and introspection', () => {
  const judging = judged();
  const tokens = (which: 'confidential' | 'publicClient' = 'confidential') =>
    obtainTokens(judging.current.test, judging.current[which], judging.current.user);

  async function discovered() {
    const issuer = new URL(judging.current.test.issuer);
    return oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
  }

  it('oauth4webapi', async () => {
    const as = await discovered();
    const { confidential, user, test } = judging.current;
    const which = { client_id: confidential.clientId };
    const auth = oauth.ClientSecretBasic(confidential.secret ?? '');
    const { accessToken, refreshToken } = await tokens();
    const ask = async (sent: string) =>
      oauth.processIntrospectionResponse(as, which, await oauth.introspectionRequest(as, which, auth, sent, insecure));

    expect(await ask(accessToken)).toMatchObject({
      active: true,
      sub: user.id,
      token_type: 'Bearer',
      iss: test.issuer,
    });
    expect(await ask(refreshToken)).toMatchObject({ active: true, sub: user.id });
    expect(await ask('nothing')).toEqual({ active: false });
    for (const sent of [refreshToken, refreshToken, 'nothing']) {
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, which, auth, sent, insecure));
    }
    expect([await ask(accessToken), await ask(refreshToken)]).toEqual([{ active: false }, { active: false }]);
    await expect(
      oauth
        .introspectionRequest(as, which, oauth.ClientSecretBasic('wrong'), accessToken, insecure)
        .then((response) => oauth.processIntrospectionResponse(as, which, response)),
    ).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  });

  it('openid-client, with a secret and without', async () => {
    const { confidential, publicClient, test } = judging.current;
    const options: openid.DiscoveryRequestOptions = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] };
    const connect = (clientId: string, auth: openid.ClientAuth) =>
      openid.discovery(new URL(test.issuer), clientId, undefined, auth, options);

    const service = (await token(test, confidential, { grant_type: 'client_credentials' })).json.access_token ?? '';
    const server = await connect(confidential.clientId, openid.ClientSecretPost(confidential.secret ?? ''));
    expect((await openid.tokenIntrospection(server, service)).active).toBe(true);
    await openid.tokenRevocation(server, service, { token_type_hint: 'access_token' });
    expect(await openid.tokenIntrospection(server, service)).toEqual({ active: false });

    const app = await connect(publicClient.clientId, openid.None());
    const { refreshToken } = await tokens('publicClient');
    await openid.tokenRevocation(app, refreshToken);
    expect((await refresh(test, publicClient, refreshToken)).json.error).toBe('invalid_grant');
    await expect(openid.tokenIntrospection(app, refreshToken)).rejects.toMatchObject({ status: 401 });
  });
});
