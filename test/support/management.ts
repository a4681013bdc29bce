/** Callers of the management API: a client with the scopes that a test names, and requests with its token. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Configuration } from '../../src/config/configuration.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../src/config/management-resource.ts';
import { accessTokenId, signAccessToken } from '../../src/crypto/access-token.ts';
import { makeClient } from './actors.ts';
import type { TestApp } from './app.ts';
import { ISSUER, shippedConfiguration } from './app.ts';

export const API = `${ISSUER}/management/v1`;

/** May administer: tests take the role away by changing it. */
export const BOT = 'bot';

export const withBot = (scope: readonly string[] = MANAGEMENT_SCOPE_NAMES): Configuration => ({
  ...shippedConfiguration,
  operators: { operators: ['olga'], auditors: ['ada'], clients: [{ client_id: BOT, scope: [...scope] }] },
});

export type Caller = (
  method: NonNullable<InjectOptions['method']>,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<LightMyRequestResponse>;

/** A token as the token endpoint signs it for client credentials. */
export function tokenOf({ deps, clock, issuer }: TestApp, scope: readonly string[], change: object = {}): string {
  const iat = Math.floor(clock.now().getTime() / 1000);
  return signAccessToken(deps.keyRing.signerOf('ES256'), {
    iss: issuer,
    sub: BOT,
    client_id: BOT,
    aud: `${issuer}/management/v1`,
    scope: scope.join(' '),
    jti: accessTokenId({ clientEpoch: 0n }, deps.random.bytes(16)),
    iat,
    exp: iat + 900,
    ...change,
  });
}

export async function makeBot(app: TestApp): Promise<void> {
  await makeClient(app, { clientId: BOT, grantTypes: ['client_credentials'], redirectUris: [] });
}

/** JSON unless the headers say otherwise. */
export const callerWith =
  ({ app }: Pick<TestApp, 'app'>, token: () => string): Caller =>
  (method, path, { body, headers = {} } = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return app.inject({
      method,
      url: path.includes('/management/v1') ? path : `/management/v1${path}`,
      headers: {
        authorization: `Bearer ${token()}`,
        ...(body !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...(body !== undefined && {
        payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    });
  };
