/** RFC 4514 and RFC 4517 §4.2.15: the subject of a certificate, as a registration and as Node write it. */
import { describe, expect, it } from 'vitest';
import { isSameName, readDistinguishedName, readSubject } from '../../../src/oauth/distinguished-name.ts';

const isSame = (registered: string, subject: string): boolean => {
  const [one, other] = [readDistinguishedName(registered), readSubject(subject)];
  return one !== null && other !== null && isSameName(one, other);
};

/** RFC 4514 §3 and RFC 4519; then the names that OpenSSL and Java write. */
const NAMES_OF_TYPES = {
  '2.5.4.3': ['CN', 'commonName'],
  '2.5.4.4': ['SN', 'surname'],
  '2.5.4.5': ['serialNumber'],
  '2.5.4.6': ['C', 'countryName'],
  '2.5.4.7': ['L', 'localityName'],
  '2.5.4.8': ['ST', 'S', 'stateOrProvinceName'],
  '2.5.4.9': ['STREET', 'streetAddress'],
  '2.5.4.10': ['O', 'organizationName'],
  '2.5.4.11': ['OU', 'organizationalUnitName'],
  '2.5.4.12': ['title', 'T'],
  '2.5.4.42': ['GN', 'givenName'],
  '2.5.4.97': ['organizationIdentifier'],
  '0.9.2342.19200300.100.1.25': ['DC', 'domainComponent'],
  '0.9.2342.19200300.100.1.1': ['UID', 'userId'],
  '1.2.840.113549.1.9.1': ['emailAddress', 'E', 'email'],
};

it.each(Object.entries(NAMES_OF_TYPES))('the type %s has its names, in letters of either case', (type, names) => {
  for (const name of names) {
    expect(isSame(`${name}=a`, `${type}=a`)).toBe(true);
    expect(isSame(`${name.toLowerCase()}=a`, `${name.toUpperCase()}=a`)).toBe(true);
  }
});

it('types of other numbers are other types', () => {
  const types = Object.keys(NAMES_OF_TYPES);
  for (const one of types) for (const other of types) expect(isSame(`${one}=a`, `${other}=a`)).toBe(one === other);
});

describe('a distinguished name', () => {
  it.each([
    ['CN=a,O=b', 'O=b\nCN=a'],
    ['cn = A , o= B', 'O=b\nCN=a'],
    ['2.5.4.3=a', 'CN=a'],
    ['OID.2.5.4.3=a', 'CN=a'],
    ['E=a@b.test', 'emailAddress=a@b.test'],
    ['S=x', 'ST=x'],
    ['1.2.3.4=a', '1.2.3.4=a'],
    ['CN=a+OU=b', 'OU=b + CN=a'],
    ['CN=a\\, b', 'CN=a\\, b'],
    ['CN=a\\2C b', 'CN=a\\, b'],
    ['CN=a\\+b\\\\', 'CN=a\\+b\\\\'],
    ['CN=S\\C3\\B6hne', 'CN=Söhne'],
    ['CN=Söhne', 'CN=SÖHNE'],
    ['CN=a   b', 'CN=a b'],
    ['CN=a  ,O=b ', 'O=b\nCN=a'],
    ['CN=\\ a', 'CN=a'],
    ['12.34.5=a', '12.34.5=a'],
    ['CN=a\\ ', 'CN=a\\ '],
    ['CN=\\#a', 'CN=\\#a'],
    ['CN=a \\+ OU=b', 'CN=a \\+ OU=b'],
  ])('%s is the subject %j', (registered, subject) => {
    expect(isSame(registered, subject)).toBe(true);
  });

  it.each([
    ['CN=a,O=b', 'CN=a\nO=b'],
    ['CN=a', 'O=b\nCN=a'],
    ['CN=a,O=b', 'CN=a'],
    ['CN=a', 'OU=a'],
    ['CN=a,O=b', 'O=b + CN=a'],
    ['CN=a,O=b', 'CN=a\\, O=b'],
    ['CN=a\\,O=b', 'O=b\nCN=a'],
    ['CN=ab', 'CN=a b'],
    // Stricter than RFC 4518 §2.2.
    ['CN=Straße', 'CN=Strasse'],
    ['CN=a+OU=b', 'CN=a \\+ OU=b'],
    ['CN=a', ''],
    ['CN=a', 'CN=a\\0ACN=a'],
  ])('%s is not the subject %j', (registered, subject) => {
    expect(isSame(registered, subject)).toBe(false);
  });

  it.each([
    '',
    'a',
    'CN=',
    'CN',
    '=a',
    'CN=a,',
    ',CN=a',
    'CN=a\\',
    'CN=a\\x',
    'CN=#0403616263',
    '1=a',
    'CN=\\FF',
    'CN="a, b"',
    '!CN=a',
    'CN=  ',
  ])('is not read from %j', (text) => {
    expect(readDistinguishedName(text)).toBeNull();
  });
});

it('an empty name is the same as none', () => {
  expect(isSameName([], [])).toBe(false);
});
