/** RFC 8705: certificates of clients, the authorities that signed them, their names, and the keys that name them. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  alternativeNamesOf,
  type CertificateAuthority,
  type ClientCertificate,
  isIssuedBy,
  isRegisteredBy,
  readCertificateAuthorities,
  readClientCertificate,
  subjectOf,
} from '../../../src/crypto/client-certificate.ts';
import type { PublicJwk } from '../../../src/crypto/client-keys.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import {
  type CertificateSaid,
  certificateKeys,
  jwkOf,
  NAME_CONSTRAINTS,
  type TestCertificate,
  testCertificate,
} from '../../support/client-certificates.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_PURPOSE = '2.5.29.37.0';
const SUBJECT = [{ CN: ['an authority'] }];

let root: TestCertificate;
beforeAll(async () => {
  root = await testCertificate({ subject: SUBJECT, isAuthority: true });
});

const readAs = (der: Uint8Array): ClientCertificate => {
  const reading = readClientCertificate(der, NOW);
  if (reading.kind !== 'read') throw new Error(reading.kind);
  return reading;
};
const certificate = async (said: CertificateSaid = {}) => readAs((await testCertificate(said)).der);

describe('the certificate of a client', () => {
  it('has the SHA-256 of its octets as its thumbprint, and its subject', async () => {
    const { der } = await testCertificate({ subject: [{ O: ['Shop'] }, { CN: ['billing'] }] });
    expect(readAs(der).thumbprint).toBe(sha256(der).toString('base64url'));
    expect(subjectOf(readAs(der))).toBe('O=Shop\nCN=billing');
  });

  it('is malformed where the proxy says so, as other octets, and with octets after it', async () => {
    const { der } = await testCertificate();
    const malformed = { kind: 'client_certificate_malformed' };
    expect(readClientCertificate('malformed', NOW)).toEqual(malformed);
    expect(readClientCertificate(Buffer.from('hello'), NOW)).toEqual(malformed);
    expect(readClientCertificate(Buffer.concat([der, Buffer.alloc(1)]), NOW)).toEqual(malformed);
  });
});

describe('the authorities of an operator', () => {
  it('are all that the text has, one after the other', async () => {
    const other = await testCertificate({ subject: [{ CN: ['another'] }], isAuthority: true });
    const read = readCertificateAuthorities(`a comment\n${root.pem}\n\n${other.pem}\n`);
    expect(read.map(({ subject }) => subject)).toEqual(['CN=an authority', 'CN=another']);
  });

  it('are refused without one, and for one that is unreadable, is of a client, or has name constraints', async () => {
    const leaf = await testCertificate();
    const bound = await testCertificate({ isAuthority: true, extensions: [NAME_CONSTRAINTS] });
    const garbled = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    for (const [text, message] of [
      ['', 'It has no certificate in PEM.'],
      [`${root.pem}\n${garbled}`, 'Its certificate 2 cannot be read.'],
      [leaf.pem, 'Its certificate 1 is not of a certificate authority (basicConstraints CA:TRUE).'],
      [
        `${root.pem}\n${bound.pem}`,
        'Its certificate 2 has name constraints, which this server does not apply: list another authority.',
      ],
    ] as const)
      expect(() => readCertificateAuthorities(text)).toThrow(new Error(message));
  });
});

describe('a certificate is issued by an authority', () => {
  let authorities: readonly CertificateAuthority[];
  beforeAll(() => {
    authorities = readCertificateAuthorities(root.pem);
  });
  const issued = async (said: CertificateSaid = {}, now = NOW) =>
    isIssuedBy(await certificate({ by: root, ...said }), authorities, now);

  it.each<[string, CertificateSaid, boolean]>([
    ['without a purpose', {}, true],
    ['for clients', { purposes: [CLIENT_AUTH] }, true],
    ['for clients among others', { purposes: [SERVER_AUTH, CLIENT_AUTH] }, true],
    ['for any purpose', { purposes: [ANY_PURPOSE] }, true],
    ['for servers alone', { purposes: [SERVER_AUTH] }, false],
    ['as an authority itself', { isAuthority: true }, false],
  ])('%s: %s', async (_, said, expected) => {
    expect(await issued(said)).toBe(expected);
  });

  it('with a hash without known collisions alone', async () => {
    const keys = await certificateKeys({
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-1',
    });
    const weak = await testCertificate({ subject: SUBJECT, isAuthority: true, keys, hash: 'SHA-1' });
    const signedBy = async (by: TestCertificate, hash: 'SHA-1' | 'SHA-256') =>
      isIssuedBy(await certificate({ by, hash }), readCertificateAuthorities(by.pem), NOW);
    expect(await signedBy(weak, 'SHA-1')).toBe(false);
    expect(await signedBy(root, 'SHA-256')).toBe(true);
  });

  it('never by another one with its name, nor by none', async () => {
    const namesake = await testCertificate({ subject: SUBJECT, isAuthority: true });
    const client = await certificate({ by: namesake });
    expect(isIssuedBy(client, authorities, NOW)).toBe(false);
    expect(isIssuedBy(client, [...authorities, ...readCertificateAuthorities(namesake.pem)], NOW)).toBe(true);
    expect(isIssuedBy(client, [], NOW)).toBe(false);
    expect(isIssuedBy(await certificate(), authorities, NOW)).toBe(false);
  });

  it('within its own period, both ends included', async () => {
    const [from, to] = [new Date('2025-01-01T00:00:00Z'), new Date('2035-01-01T00:00:00Z')];
    const brief = await testCertificate({ subject: SUBJECT, isAuthority: true, from, to });
    const client = await certificate({ by: brief });
    const at = (now: Date) => isIssuedBy(client, readCertificateAuthorities(brief.pem), now);
    expect([at(from), at(to)]).toEqual([true, true]);
    expect([at(new Date(from.getTime() - 1000)), at(new Date(to.getTime() + 1000))]).toEqual([false, false]);
  });
});

describe('the alternative names of a certificate', () => {
  it('are those of every type, in its order', async () => {
    const names = [
      { type: 'dns', value: 'billing.test' },
      { type: 'url', value: 'spiffe://shop.test/billing' },
      { type: 'ip', value: '192.0.2.7' },
      { type: 'email', value: 'ops@shop.test' },
    ] as const;
    expect(alternativeNamesOf(await certificate({ names: [...names] }))).toEqual([
      { type: 'DNS', value: 'billing.test' },
      { type: 'URI', value: 'spiffe://shop.test/billing' },
      { type: 'IP Address', value: '192.0.2.7' },
      { type: 'email', value: 'ops@shop.test' },
    ]);
  });

  it('are none without the extension', async () => {
    expect(alternativeNamesOf(await certificate())).toEqual([]);
  });

  it('are whole where one has a comma, a quote or a colon, and split into no others', async () => {
    const value = 'https://a.test/, DNS:else.test"\\';
    const names = [
      { type: 'url', value },
      { type: 'dns', value: 'b.test' },
    ] as const;
    expect(alternativeNamesOf(await certificate({ names: [...names] }))).toEqual([
      { type: 'URI', value },
      { type: 'DNS', value: 'b.test' },
    ]);
  });

  it.each(['nonsense', 'DNS:a.test; DNS:b.test,DNS:c.test', 'DNS:a.test, "x"'])(
    'are none where the form is unknown: %j',
    (subjectAltName) => {
      expect(alternativeNamesOf({ x509: { subjectAltName } } as never)).toEqual([]);
    },
  );
});

describe('a key of a client names a certificate', () => {
  let own: TestCertificate;
  let other: TestCertificate;
  let key: PublicJwk;
  beforeAll(async () => {
    [own, other] = [await testCertificate(), await testCertificate()];
    key = (await jwkOf(own)) as PublicJwk;
  });
  const thumbprint = ({ der }: TestCertificate) => sha256(der).toString('base64url');
  const x5c = ({ der }: TestCertificate) => [der.toString('base64')];

  it('by being its key, where it names none', async () => {
    expect(isRegisteredBy(key, readAs(own.der))).toBe(true);
    expect(isRegisteredBy(key, readAs(other.der))).toBe(false);
    const rsa = await certificateKeys({
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    });
    expect(isRegisteredBy(key, await certificate({ keys: rsa }))).toBe(false);
    expect(isRegisteredBy({ ...key, x: 'AAAA' }, readAs(own.der))).toBe(false);
  });

  it('by its thumbprint, by the certificate itself, and by both where they agree', () => {
    const names = (change: object) => isRegisteredBy({ ...key, ...change }, readAs(own.der));
    expect(names({ 'x5t#S256': thumbprint(own) })).toBe(true);
    expect(names({ x5c: x5c(own) })).toBe(true);
    expect(names({ x5c: x5c(own), 'x5t#S256': thumbprint(own) })).toBe(true);
    expect(names({ 'x5t#S256': thumbprint(other) })).toBe(false);
    expect(names({ x5c: x5c(other) })).toBe(false);
    expect(names({ x5c: x5c(own), 'x5t#S256': thumbprint(other) })).toBe(false);
    expect(names({ x5c: x5c(other), 'x5t#S256': thumbprint(own) })).toBe(false);
    expect(names({ x5c: [] })).toBe(false);
  });
});
