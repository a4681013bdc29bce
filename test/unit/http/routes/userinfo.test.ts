/** /oauth/userinfo: the valid places of a token, and the answers (RFC 6750 §3, OpenID Connect Core §5.3). */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type UserInfoRoutesOptions, userInfoRoutes } from '../../../../src/http/userinfo-routes.ts';
import { openRoutes, type Sent } from '../../../support/use-cases.ts';

vi.mock('../../../../src/protocol/userinfo.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { userInfo: useCase('userInfo') };
});

const METADATA = 'resource_metadata="https://as.test/.well-known/oauth-protected-resource/tenant/oauth/userinfo"';
const CLAIMS = { kind: 'claims', claims: { sub: 'u', name: 'a person' }, grantId: 'g' };
/** RFC 9449 §7.1: how to send another token. */
const ALGS = 'algs="ES256 EdDSA PS256"';
const ORIGIN = 'https://photos.test';

describe('the routes of UserInfo', () => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    const options = { issuer: 'https://as.test/tenant', isBrowserOrigin: async (origin: string) => origin === ORIGIN };
    opened = await openRoutes((app) => app.register(userInfoRoutes, options as unknown as UserInfoRoutesOptions));
    return () => opened.app.close();
  });
  const send = async (outcome: unknown, sent: Sent) => {
    const answer = await opened.send(outcome, '/oauth/userinfo?access_token=query', { headers: {}, ...sent });
    expect(answer.cache).toBe('no-store');
    return answer;
  };
  const bearer = { authorization: 'Bearer tok' };
  const bound = { authorization: 'DPoP tok', dpop: 'proof' };

  it.each([
    ['in the header, by GET', { headers: bearer }, { scheme: 'bearer', method: 'GET' }],
    ['in the header, by POST', { headers: bearer, body: '' }, { scheme: 'bearer', method: 'POST' }],
    ['in the body', { body: 'access_token=tok&x=y' }, { scheme: 'bearer', method: 'POST' }],
    ['with a proof', { headers: bound }, { scheme: 'dpop', dpop: 'proof', method: 'GET' }],
  ])('a token %s: the claims', async (_, sent, given) => {
    const { status, body, asked, line, headers } = await send(CLAIMS, sent);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(CLAIMS.claims);
    expect(headers['www-authenticate']).toBeUndefined();
    expect(asked).toEqual([{ useCase: 'userInfo', given: [{ ...given, token: 'tok' }] }]);
    expect(line).toMatchObject({ level: 30, msg: 'answered', grantId: 'g' });
    expect(JSON.stringify(line)).not.toContain('a person');
  });

  it('without a token: a challenge, and no error', async () => {
    for (const sent of [{}, { body: '' }, { headers: { authorization: 'Basic x' } }]) {
      const { status, body, asked, headers, line } = await send(CLAIMS, sent);
      expect({ status, body, asked }).toEqual({ status: 401, body: '{}', asked: [] });
      expect(headers['www-authenticate']).toBe(`Bearer scope="openid", ${METADATA}, DPoP ${ALGS}`);
      expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'access_token_missing' });
    }
  });

  it.each([
    ['twice', { headers: bearer, body: 'access_token=tok' }],
    ['repeated', { body: 'access_token=tok&access_token=tok' }],
    ['not in UTF-8', { body: 'access_token=%ff' }],
    ['with nothing in it', { headers: { authorization: 'Bearer ' } }],
    ['beside parameters that cannot be read', { headers: bearer, body: 'access_token=%00' }],
  ])('a token %s is malformed', async (_, sent) => {
    const { status, body, asked, headers, line } = await send(CLAIMS, sent);
    expect({ status, asked }).toEqual({ status: 400, asked: [] });
    const { error, error_description: description } = JSON.parse(body);
    expect(error).toBe('invalid_request');
    expect(description).toContain('Send one access token');
    expect(headers['www-authenticate']).toBe(
      `Bearer error="invalid_request", error_description="${description}", scope="openid", ${METADATA}`,
    );
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'malformed' });
  });

  it.each([
    ['invalid_token', 'expired', 401, 'is not valid', `${METADATA}, DPoP ${ALGS}`],
    ['insufficient_scope', 'openid_not_granted', 403, 'with openid in its scope', `scope="openid", ${METADATA}`],
  ])('%s', async (error, reason, expected, words, challenged) => {
    const { status, body, headers, line } = await send({ kind: 'refused', error, reason }, { headers: bearer });
    expect(status).toBe(expected);
    const { error_description: description, ...rest } = JSON.parse(body);
    expect(rest).toEqual({ error });
    expect(description).toContain(words);
    expect(headers['www-authenticate']).toBe(
      `Bearer error="${error}", error_description="${description}", ${challenged}`,
    );
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason });
  });

  it('a refused proof: a challenge under its scheme', async () => {
    const refused = { kind: 'refused', error: 'invalid_dpop_proof', reason: 'proof_replayed' };
    const { status, headers } = await send(refused, { headers: bound });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^DPoP error="invalid_dpop_proof", .*algs="ES256 EdDSA PS256"$/);
  });

  it('other methods are rejected, and scripts of registered origins may read every answer', async () => {
    const headers = { origin: ORIGIN };
    const put = await send(CLAIMS, { method: 'PUT', headers });
    expect(put).toMatchObject({ status: 405, asked: [] });
    expect(JSON.parse(put.body)).toEqual({ error: 'invalid_request', error_description: 'Use GET or POST.' });
    for (const { headers: said } of [put, await send(CLAIMS, { headers }), await send(CLAIMS, { headers, body: '' })])
      expect(said['access-control-allow-origin']).toBe(ORIGIN);
    expect(put.headers['allow']).toBe('GET, POST');
    const asks = { ...headers, 'access-control-request-method': 'POST' };
    const preflight = await opened.send(CLAIMS, '/oauth/userinfo', { method: 'OPTIONS', headers: asks });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, POST');
  });
});
