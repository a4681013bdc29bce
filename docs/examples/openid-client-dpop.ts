import * as client from 'openid-client';

/** Keep the key pair as long as the tokens: no other key gets an answer for them. */
export const newKey = () => client.randomDPoPKeyPair('ES256');

/** As without DPoP, with the key. It signs a proof for each request, and repeats one that needs a nonce. */
export const finish = (
  config: client.Configuration,
  key: client.CryptoKeyPair,
  callback: URL,
  checks: client.AuthorizationCodeGrantChecks,
) => client.authorizationCodeGrant(config, callback, checks, undefined, { DPoP: client.getDPoPHandle(config, key) });

export const refresh = (config: client.Configuration, key: client.CryptoKeyPair, refreshToken: string) =>
  client.refreshTokenGrant(config, refreshToken, undefined, { DPoP: client.getDPoPHandle(config, key) });

/** Sends `Authorization: DPoP …` with a proof for this URL, method and token. */
export const callApi = (config: client.Configuration, key: client.CryptoKeyPair, accessToken: string, url: URL) =>
  client.fetchProtectedResource(config, accessToken, url, 'GET', undefined, undefined, {
    DPoP: client.getDPoPHandle(config, key),
  });
