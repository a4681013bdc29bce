/** `statehouse check` on each client and the profile. */
import { expect, it } from 'vitest';
import { ofStored } from '../../../src/cli/effective-policy.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { client } from '../protocol/ports.ts';

const [base] = shippedConfiguration.policies.values();
if (base === undefined) throw new Error('no policy');
const bank = { ...base, authorizationCodeLifetimeSeconds: 60, profile: 'fapi-2-security' as const };
const configuration = {
  ...shippedConfiguration,
  policies: new Map([...shippedConfiguration.policies, ['bank', bank]]),
};

const GOOD = {
  ...{ policy: 'bank', tokenEndpointAuthMethod: 'private_key_jwt' as const, jwksUri: 'https://bank.test/keys' },
  ...{ dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256' as const },
};
const profileOf = (change: object, under: Configuration = configuration) =>
  ofStored(client(change), under, null, null).profile;

it('a client keeps the profile, or breaks rules of it, under any policy once one names a profile', () => {
  expect(profileOf(GOOD)).toEqual({ name: 'fapi-2-security', broken: [] });
  const fields = profileOf({ policy: 'default' })?.broken.map(({ field }) => field);
  expect(fields).toEqual(
    expect.arrayContaining(['token_endpoint_auth_method', 'dpop_bound_access_tokens', 'id_token_signed_response_alg']),
  );
  // The client proves no key.
  expect(profileOf({ ...GOOD, tokenEndpointAuthMethod: 'workload_jwt' })?.broken).toEqual([
    expect.objectContaining({ field: 'token_endpoint_auth_method', found: '"workload_jwt"' }),
  ]);
  expect(profileOf({}, shippedConfiguration)).toBeNull();
  expect(profileOf({ clientId: 'statehouse-console' })).toBeNull();
});
