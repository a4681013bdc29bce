/** RFC 8705 §2.1.2 and §2.2.2: the metadata of clients that authenticate with a certificate. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readClientMetadata } from '../../../src/registration/client-metadata.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { certificateKeys, jwkOf, type TestCertificate, testCertificate } from '../../support/client-certificates.ts';

const SERVICE = { client_id: 'billing', grant_types: ['client_credentials'], policy: 'service' };
const read = (change: object) => readClientMetadata({ ...SERVICE, ...change }, shippedConfiguration, true);
const problemsOf = (change: object) => {
  const reading = read(change);
  return reading.ok ? [] : reading.problems.map(({ key, found, allowed }) => `${key}: ${found} / ${allowed}`);
};
const byAuthority = (change: object) => ({ token_endpoint_auth_method: 'tls_client_auth', ...change });

describe('a client with tls_client_auth', () => {
  it.each([
    ['tls_client_auth_subject_dn', 'CN=billing,O=Example'],
    ['tls_client_auth_san_dns', 'billing.example.com'],
    ['tls_client_auth_san_uri', 'spiffe://example.org/billing'],
    ['tls_client_auth_san_ip', '2001:db8::1'],
    ['tls_client_auth_san_email', 'ops@example.com'],
  ])('is registered by %s, without a secret', (name, value) => {
    expect(read(byAuthority({ [name]: value }))).toMatchObject({ ok: true, warnings: [], value: { secret: null } });
    expect(problemsOf(byAuthority({ [name]: value, client_secret: 'a secret that is long enough' }))).toHaveLength(1);
  });

  it('is refused with none of them, and with two', () => {
    expect(problemsOf(byAuthority({}))).toEqual([expect.stringContaining('exactly one of tls_client_auth_subject_dn')]);
    const two = { tls_client_auth_san_dns: 'a.test', tls_client_auth_san_uri: 'https://a.test' };
    expect(problemsOf(byAuthority(two))).toEqual([expect.stringContaining('a value beside tls_client_auth_san_dns')]);
  });

  it.each([
    ['tls_client_auth_subject_dn', 'billing'],
    ['tls_client_auth_subject_dn', 'CN=#0403616263'],
    ['tls_client_auth_subject_dn', `CN=${'x'.repeat(1024)}`],
    ['tls_client_auth_san_dns', '*.example.com'],
    ['tls_client_auth_san_dns', 'a b'],
    ['tls_client_auth_san_uri', 'no URI'],
    ['tls_client_auth_san_ip', '10.0.0.0/8'],
    ['tls_client_auth_san_email', 'ops'],
  ])('is refused with %s %j', (name, value) => {
    expect(problemsOf(byAuthority({ [name]: value }))).toEqual([expect.stringContaining(name)]);
  });

  it('is warned of a field that another method does not use', () => {
    const reading = read({ tls_client_auth_san_dns: 'a.test' });
    const words = 'tls_client_auth_san_dns: not used without token_endpoint_auth_method "tls_client_auth"';
    expect(reading).toMatchObject({ ok: true, warnings: [words] });
  });
});

describe.each(['P-384', 'P-521'])('a key on %s', (namedCurve) => {
  it('is one of certificates alone: it signs no assertion', async () => {
    const own = await testCertificate({ keys: await certificateKeys({ name: 'ECDSA', namedCurve }) });
    const jwks = { keys: [await jwkOf(own)] };
    expect(problemsOf({ token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks })).toEqual([]);
    for (const method of ['private_key_jwt', 'client_secret_basic'])
      expect(problemsOf({ token_endpoint_auth_method: method, jwks })).toEqual([
        expect.stringContaining(`jwks.keys.0: a key on ${namedCurve}`),
      ]);
    const signing = { token_endpoint_auth_method: 'self_signed_tls_client_auth', request_object_signing_alg: 'ES256' };
    expect(problemsOf({ ...signing, jwks })).toEqual([expect.stringContaining('request_object_signing_alg')]);
  });
});

describe('a client with self_signed_tls_client_auth', () => {
  let own: TestCertificate;
  let other: TestCertificate;
  let jwk: object;
  beforeAll(async () => {
    [own, other] = [await testCertificate(), await testCertificate()];
    jwk = await jwkOf(own);
  });
  const byItself = (change: object) => ({ token_endpoint_auth_method: 'self_signed_tls_client_auth', ...change });
  const x5c = ({ der }: TestCertificate) => [der.toString('base64')];

  it('is registered by its key, with its certificate or without', () => {
    expect(problemsOf(byItself({ jwks: { keys: [jwk] } }))).toEqual([]);
    expect(problemsOf(byItself({ jwks: { keys: [{ ...jwk, x5c: x5c(own) }] } }))).toEqual([]);
    expect(problemsOf(byItself({ jwks_uri: 'https://a.test/keys' }))).toEqual([]);
  });

  it.each<[string, () => object, string]>([
    ['without keys', () => ({}), '"self_signed_tls_client_auth" without keys'],
    ['with the certificate of another key', () => keys({ x5c: x5c(other) }), 'a certificate of another key'],
    ['with no certificate in x5c', () => keys({ x5c: ['AAAA'] }), '"x5c" without a certificate'],
    [
      'with the thumbprint of another certificate',
      () => keys({ x5c: x5c(own), 'x5t#S256': 'x'.repeat(43) }),
      'of another certificate than',
    ],
    ['with a thumbprint of another length', () => keys({ 'x5t#S256': 'x' }), 'x5t#S256'],
  ])('is refused %s', (_name, change, words) => {
    expect(problemsOf(byItself(change()))).toEqual([expect.stringContaining(words)]);
  });
  const keys = (change: object) => ({ jwks: { keys: [{ ...jwk, ...change }] } });
});
