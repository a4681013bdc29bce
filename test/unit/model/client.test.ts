/** How a client authenticates, and how the server learned of it. */
import { describe, expect, test } from 'vitest';
import {
  type Client,
  documentOriginOf,
  hasKeys,
  hasSecret,
  introductionOf,
  provesKey,
} from '../../../src/model/client.ts';

const KEYS = { keys: [] } as unknown as NonNullable<Client['jwks']>;

test.each<[Client['tokenEndpointAuthMethod'], boolean, boolean]>([
  ['none', false, false],
  ['client_secret_basic', true, false],
  ['client_secret_post', true, false],
  ['private_key_jwt', false, true],
])('%s: a shared secret (%s), a key of its own (%s)', (tokenEndpointAuthMethod, secret, key) => {
  expect(hasSecret({ tokenEndpointAuthMethod })).toBe(secret);
  expect(provesKey({ tokenEndpointAuthMethod })).toBe(key);
});

describe('the keys of a client', () => {
  const JWKS_URI = 'https://app.example/jwks';
  test.each<[string, Partial<Client>, boolean]>([
    ['that registered none', {}, false],
    ['that registered them', { jwks: KEYS }, true],
    ['that publishes them', { jwksUri: JWKS_URI }, true],
    [
      'of a workload are those of its platform',
      { tokenEndpointAuthMethod: 'workload_identity' as never, jwksUri: JWKS_URI },
      true,
    ],
  ])('%s', (_, change, has) => {
    expect(hasKeys({ tokenEndpointAuthMethod: 'private_key_jwt', jwks: null, jwksUri: null, ...change })).toBe(has);
  });
});

describe('a client introduced itself', () => {
  test.each<[string, Client['registeredBy'], string, ReturnType<typeof introductionOf>, string | null]>([
    ['not, where an operator registered it', 'operator', 'photos', null, null],
    ['not, where an operator registered a URL', 'operator', 'https://app.example/client', null, null],
    ['by its document', 'self', 'https://app.example:8443/client', 'metadataDocuments', 'https://app.example:8443'],
    ['at the registration endpoint', 'self', '2f1c', 'dynamicRegistration', null],
  ])('%s', (_, registeredBy, clientId, introduction, origin) => {
    expect(introductionOf({ registeredBy, clientId })).toBe(introduction);
    expect(documentOriginOf({ registeredBy, clientId })).toBe(origin);
  });
});
