/** RFC 8705 §3: an API accepts a token that is bound to a certificate on a connection with that certificate, and in no other way. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/crypto/digest.ts';
import type { GuardOptions } from '../../../src/guard/index.ts';
import {
  inClientCert,
  inEscapedPem,
  type TestCertificate,
  testCertificate,
} from '../../support/client-certificates.ts';
import { proofKey, proofOf } from '../../support/dpop.ts';
import { bearer, type FakeIssuer, fakeIssuer } from '../../support/fake-issuer.ts';

const NEEDS = { scopes: ['read'] };
const IN_HEADER = { header: 'Client-Cert', form: 'rfc9440' } as const;
const GRANTED = expect.objectContaining({ kind: 'granted' });
const refused = (reason: string) => expect.objectContaining({ kind: 'refused', reason, error: 'invalid_token' });

describe('a guard that takes certificates', () => {
  let issuer: FakeIssuer;
  let own: TestCertificate;
  let other: TestCertificate;
  let token: string;
  const boundTo = ({ der }: TestCertificate) => ({ 'x5t#S256': sha256(der).toString('base64url') });
  beforeAll(async () => {
    [own, other] = [await testCertificate(), await testCertificate()];
  });
  beforeEach(async () => {
    issuer = await fakeIssuer();
    token = await issuer.token({ claims: { cnf: boundTo(own) } });
  });
  const request = (sent: string | readonly string[] | undefined, more = {}, scheme = 'Bearer') => ({
    ...{ method: 'GET', url: '/photos' },
    headers: { authorization: `${scheme} ${token}`, 'client-cert': sent, ...more },
  });
  const check = (asked: ReturnType<typeof request>, options: Partial<GuardOptions> = { certificate: IN_HEADER }) =>
    issuer.guard(options).check(asked, NEEDS);

  it('accepts a bound token with its certificate, and says so in its metadata', async () => {
    expect(await check(request(inClientCert(own)))).toEqual(GRANTED);
    const pem = { certificate: { header: 'x-client-cert', form: 'pem' } } as const;
    expect(await check(request(undefined, { 'x-client-cert': inEscapedPem(own) }), pem)).toEqual(GRANTED);
    const { metadata } = issuer.guard({ certificate: IN_HEADER });
    expect(metadata.document.tls_client_certificate_bound_access_tokens).toBe(true);
    expect(issuer.guard({}).metadata.document).not.toHaveProperty('tls_client_certificate_bound_access_tokens');
  });

  it('accepts a bearer token beside it', async () => {
    const guard = issuer.guard({ certificate: IN_HEADER });
    expect(await guard.check(bearer(await issuer.token()), NEEDS)).toEqual(GRANTED);
  });

  it.each<[string, string, () => Parameters<typeof request>[0]]>([
    ['without a certificate', 'certificate_missing', () => undefined],
    ['with another certificate', 'certificate_mismatch', () => inClientCert(other)],
    ['with two headers', 'certificate_missing', () => [inClientCert(other), inClientCert(own)]],
    ['with two certificates', 'certificate_missing', () => `${inClientCert(own)}, ${inClientCert(own)}`],
    ['with a certificate in another form', 'certificate_missing', () => inEscapedPem(own)],
    ['with a header that is too long', 'certificate_missing', () => `:${'A'.repeat(65_536)}:`],
  ])('rejects a bound token %s', async (_name, reason, sent) => {
    expect(await check(request(sent()))).toEqual(refused(reason));
  });

  it('rejects a bound token where the API does not say where certificates come from', async () => {
    expect(await check(request(inClientCert(own)), {})).toEqual(refused('proof_missing'));
    expect(await check(request(inClientCert(own)), { dpop: {} })).toEqual(refused('proof_missing'));
  });

  it('takes the certificate of the connection from a function, and answers 503 when it fails', async () => {
    expect(await check(request(undefined), { certificate: () => own.der })).toEqual(GRANTED);
    expect(await check(request(undefined), { certificate: async () => other.der })).toEqual(
      refused('certificate_mismatch'),
    );
    expect(await check(request(inClientCert(own)), { certificate: () => undefined })).toEqual(
      refused('certificate_missing'),
    );
    const failing = () => {
      throw new Error('no socket');
    };
    expect(await check(request(undefined), { certificate: failing })).toMatchObject({
      kind: 'unavailable',
      status: 503,
    });
  });

  it('asks for every key to which a token is bound', async () => {
    const key = await proofKey();
    token = await issuer.token({ claims: { cnf: { ...boundTo(own), jkt: key.jkt } } });
    const dpop = () =>
      proofOf(key, { method: 'GET', url: 'https://api.example/photos', now: issuer.clock.now(), accessToken: token });
    const both = { certificate: IN_HEADER, dpop: {} };
    const ask = (sent: string | undefined, proof: string | undefined, options: Partial<GuardOptions> = both) =>
      check(request(sent, { dpop: proof }, 'DPoP'), options);
    expect(await ask(inClientCert(own), dpop())).toEqual(GRANTED);
    expect(await ask(inClientCert(other), dpop())).toEqual(refused('certificate_mismatch'));
    expect(await ask(inClientCert(own), undefined)).toMatchObject({ reason: 'dpop_proof_missing' });
    expect(await ask(inClientCert(own), dpop(), { dpop: {} })).toEqual(refused('proof_missing'));
    expect(await ask(inClientCert(own), dpop(), { certificate: IN_HEADER })).toMatchObject({
      reason: 'no_credentials',
    });
    token = await issuer.token({ claims: { cnf: { ...boundTo(own), other: 'x' } } });
    expect(await check(request(inClientCert(own)))).toEqual(refused('proof_missing'));
  });

  it.each([
    [{ header: 'two words', form: 'pem' }, 'certificate.header'],
    [{ header: 'client-cert', form: 'der' }, 'certificate.form'],
    ['client-cert', 'certificate.header'],
  ])('does not start with %j', (certificate, name) => {
    expect(() => issuer.guard({ certificate: certificate as never })).toThrow(new RegExp(`needs ${name}`));
  });
});
