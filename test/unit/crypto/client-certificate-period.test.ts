/** RFC 5280 §4.1.2.5: the period of a certificate includes both ends. */
import { describe, expect, it } from 'vitest';
import { readClientCertificate } from '../../../src/crypto/client-certificate.ts';
import { testCertificate } from '../../support/client-certificates.ts';

describe('a certificate', () => {
  it.each([
    ['not yet valid', 'before its first second', '2026-01-01T00:00:00Z', -1000, 'client_certificate_not_yet_valid'],
    ['valid', 'in its first second', '2026-01-01T00:00:00Z', 0, 'read'],
    ['valid', 'in its last second', '2027-01-01T00:00:00Z', 0, 'read'],
    ['expired', 'after its last second', '2027-01-01T00:00:00Z', 1000, 'client_certificate_expired'],
  ])('is %s %s', async (_is, _when, at, milliseconds, kind) => {
    const [from, to] = [new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z')];
    const { der } = await testCertificate({ from, to });
    expect(readClientCertificate(der, new Date(new Date(at).getTime() + milliseconds)).kind).toBe(kind);
  });
});
