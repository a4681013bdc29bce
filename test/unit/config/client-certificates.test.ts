/** The variables of mutual TLS: off by default, and checked as a whole. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EnvironmentError, readEnvironment } from '../../../src/config/environment.ts';
import { NAME_CONSTRAINTS, testCertificate } from '../../support/client-certificates.ts';

const HEADER = 'STATEHOUSE_CLIENT_CERTIFICATE_HEADER';
const AUTHORITIES = 'STATEHOUSE_CLIENT_CERTIFICATE_AUTHORITIES';
const ORIGIN = 'STATEHOUSE_MUTUAL_TLS_ORIGIN';
const PROXIES = { STATEHOUSE_TRUSTED_PROXIES: '10.0.0.0/8' };

describe('the variables of mutual TLS', () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-authorities-'));
    const authority = (name: string) => testCertificate({ subject: [{ CN: [name] }], isAuthority: true });
    const [one, two] = [await authority('one'), await authority('two')];
    writeFileSync(file('good.pem'), `# ours\n${one.pem}\n${two.pem}\n`);
    writeFileSync(file('client.pem'), `${one.pem}\n${(await testCertificate()).pem}`);
    writeFileSync(file('none.pem'), 'nothing');
    writeFileSync(file('broken.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const constrained = await testCertificate({ isAuthority: true, extensions: [NAME_CONSTRAINTS] });
    writeFileSync(file('constrained.pem'), constrained.pem);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = (variables: Readonly<Record<string, string>>) => readEnvironment(variables).clientCertificates;
  const problemsOf = (variables: Readonly<Record<string, string>>): readonly string[] => {
    try {
      readEnvironment(variables);
      return [];
    } catch (error) {
      return error instanceof EnvironmentError ? [error.message] : [];
    }
  };

  it('turn nothing on by default', () => {
    expect(read({})).toBeNull();
    expect(read(PROXIES)).toBeNull();
  });

  it.each([
    ['rfc9440:Client-Cert', { header: 'client-cert', form: 'rfc9440' }],
    ['pem:X-SSL-Client-Cert', { header: 'x-ssl-client-cert', form: 'pem' }],
  ])('name the form and the header: %s', (written, expected) => {
    expect(read({ ...PROXIES, [HEADER]: written })).toEqual({ ...expected, authorities: null, aliasOrigin: null });
  });

  it('name the authorities and the origin', () => {
    const variables = {
      ...{ ...PROXIES, [HEADER]: 'pem:x-cert' },
      ...{ [AUTHORITIES]: file('good.pem'), [ORIGIN]: 'https://mtls.example.com' },
    };
    const settings = read(variables);
    expect(settings?.authorities?.map(({ subject }) => subject)).toEqual(['CN=one', 'CN=two']);
    expect(settings?.aliasOrigin).toBe('https://mtls.example.com');
  });

  it.each<[string, () => Readonly<Record<string, string>>, string]>([
    ['another form', () => ({ ...PROXIES, [HEADER]: 'der:x-cert' }), `${HEADER}: Expected the form and the header`],
    ['no form', () => ({ ...PROXIES, [HEADER]: 'Client-Cert' }), `${HEADER}: Expected the form and the header`],
    ['no header', () => ({ ...PROXIES, [HEADER]: 'pem:' }), `${HEADER}: Expected the form and the header`],
    ['a header of the server', () => ({ ...PROXIES, [HEADER]: 'pem:Cookie' }), `${HEADER}: Expected the form`],
    ['no trusted proxy', () => ({ [HEADER]: 'pem:x-cert' }), 'needs STATEHOUSE_TRUSTED_PROXIES'],
    ['authorities alone', () => ({ [AUTHORITIES]: file('good.pem') }), `${AUTHORITIES} has no effect without`],
    ['an origin alone', () => ({ [ORIGIN]: 'https://a.test' }), `${ORIGIN} has no effect without`],
    ['an origin with a path', () => given({ [ORIGIN]: 'https://a.test/b' }), 'Expected an https origin'],
    ['an origin of http', () => given({ [ORIGIN]: 'http://a.test' }), 'Expected an https origin'],
    ['no such file', () => given({ [AUTHORITIES]: file('missing.pem') }), 'no such file'],
    ['no certificate', () => given({ [AUTHORITIES]: file('none.pem') }), 'no certificate in PEM'],
    ['a broken certificate', () => given({ [AUTHORITIES]: file('broken.pem') }), 'certificate 1 cannot be read'],
    ['a certificate of a client', () => given({ [AUTHORITIES]: file('client.pem') }), 'certificate 2 is not of a'],
    ['name constraints', () => given({ [AUTHORITIES]: file('constrained.pem') }), 'has name constraints'],
  ])('are refused with %s', (_name, variables, words) => {
    expect(problemsOf(variables())).toEqual([expect.stringContaining(words)]);
  });
  const given = (more: Readonly<Record<string, string>>) => ({ ...PROXIES, [HEADER]: 'pem:x-cert', ...more });
});
