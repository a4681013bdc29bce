/** RFC 4514 and RFC 4517 §4.2.15: the subject of a certificate, as a registration and as Node write it. */
import { describe, expect, it } from 'vitest';
import { isSameName, readDistinguishedName, readSubject } from '../../../src/oauth/distinguished-name.ts';

const isSame = (registered: string, subject: string): boolean => {
  const [one, other] = [readDistinguishedName(registered), readSubject(subject)];
  return one !== null && other !== null && isSameName(one, other);
};

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
  ])('is not read from %j', (text) => {
    expect(readDistinguishedName(text)).toBeNull();
  });
});
