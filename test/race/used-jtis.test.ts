/** One assertion at two nodes in the same instant, on a real Postgres: exactly one request is answered. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeClient } from '../support/actors.ts';
import { ISSUER } from '../support/app.ts';
import { signedBy, testKey } from '../support/client-keys.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';

let nodes: Nodes;
beforeAll(async () => {
  nodes = await openNodes();
});
afterAll(() => nodes.close());

it.each([1, 2, 3, 4, 5])('a jti is used once, whatever the node (%i)', async () => {
  const key = testKey();
  const { clientId } = await makeClient(nodes, {
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwks: { keys: [key.jwk as never] },
  });
  const now = nodes.clock.now().getTime() / 1000;
  const assertionOf = (jti: string) =>
    signedBy(key, { iss: clientId, sub: clientId, aud: ISSUER, jti, iat: now, exp: now + 60 });
  const send = async (at: number, assertion: string) => {
    const { statusCode } = await (nodes.nodes[at % 2] ?? nodes).app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      }).toString(),
    });
    return statusCode;
  };
  const once = assertionOf(randomUUID());
  const replayed = await Promise.all(Array.from({ length: 16 }, (_, at) => send(at, once)));
  expect(replayed.toSorted()).toEqual([200, ...Array(15).fill(401)]);
  // Different ones do not stand in each other's way.
  const each = await Promise.all(Array.from({ length: 16 }, (_, at) => send(at, assertionOf(randomUUID()))));
  expect(new Set(each)).toEqual(new Set([200]));
});
