/**
 * OpenID Providers that check nothing. Each redeems a code as often as it is presented, for every verifier, and also the codes of the
 * others, for which it makes up an answer that fits. A sign-in that still fails was stopped by the server under test.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestClock } from './clock.ts';
import { type FakeKey, sharedKey, signedBy } from './fake-issuer.ts';

export type Person = { readonly subject: string; readonly claims: Readonly<Record<string, unknown>> };

/** @property by the issuer that handed the code out. */
type Given = { readonly by: string; readonly nonce: string; readonly person: Person };

export type NaiveProviders<Name extends string> = {
  readonly issuers: Readonly<Record<Name, string>>;
  /** A person signs in. @param url of the authorization request. @returns the code of the response. */
  readonly answer: (url: string, person: Person) => string;
  readonly close: () => void;
};

/** Each listens on a port of its own. */
export async function naiveProviders<Name extends string>(
  names: readonly Name[],
  clock: TestClock,
): Promise<NaiveProviders<Name>> {
  const key: FakeKey = await sharedKey('first', 'RS256');
  const given = new Map<string, Given>();
  /** The nonces of all requests, by the code challenge. */
  const nonces = new Map<string, string>();

  const token = (issuer: string, sent: URLSearchParams): object | null => {
    const found = given.get(sent.get('code') ?? '');
    if (!found) return null;
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    const seconds = Math.floor(clock.now().getTime() / 1000);
    const claims = {
      ...found.person.claims,
      ...{ iss: issuer, aud: 'statehouse', sub: found.person.subject, amr: ['pwd'] },
      nonce: found.by === issuer ? found.nonce : nonces.get(challenge),
      ...{ iat: seconds, exp: seconds + 300, auth_time: seconds },
    };
    const idToken = signedBy(key, { alg: 'RS256', kid: key.jwk.kid }, claims);
    return { access_token: 'an-access-token', token_type: 'Bearer', id_token: idToken };
  };

  const metadata = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });

  const answerTo = async (issuer: string, request: IncomingMessage): Promise<object | null> => {
    if (request.url === '/token') return token(issuer, new URLSearchParams(await text(request)));
    return request.url === '/keys' ? { keys: [key.jwk] } : metadata(issuer);
  };

  const servers = await Promise.all(
    names.map(async (name) => {
      const server = createServer(async (request, response) => {
        const answer = await answerTo(issuer, request);
        response.writeHead(answer ? 200 : 400, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }));
      });
      await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
      const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
      return { name, server, issuer };
    }),
  );

  return {
    issuers: Object.fromEntries(servers.map(({ name, issuer }) => [name, issuer])) as Record<Name, string>,
    answer: (url, person) => {
      const { origin, searchParams } = new URL(url);
      const nonce = searchParams.get('nonce') ?? '';
      nonces.set(searchParams.get('code_challenge') ?? '', nonce);
      const code = randomUUID();
      given.set(code, { by: origin, nonce, person });
      return code;
    },
    close: () => {
      for (const { server } of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
