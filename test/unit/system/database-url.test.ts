import { describe, expect, test } from 'vitest';
import { hostsIn, passwordIn, readDatabaseUrl, whatIsWrongWithHosts } from '../../../src/system/database-url.ts';

describe('the hosts of a database', () => {
  const at = (host: string, port = 5432) => ({ host, port });
  test.each([
    ['postgres://u:p@a:5433,b/db', 'postgres://u:p@a:5433/db', [at('a', 5433), at('b')]],
    ['postgresql://a,b:1,[::1]:2/db', 'postgresql://a/db', [at('a'), at('b', 1), at('::1', 2)]],
    [
      'postgres://u@a,b/db?target_session_attrs=read-write&sslmode=require',
      'postgres://u@a/db?sslmode=require',
      [at('a'), at('b')],
    ],
    ['postgres://u@a/db?target_session_attrs=primary', 'postgres://u@a/db', [at('a')]],
    ['postgres://u:%40%2C@a,b/db', 'postgres://u:%40%2C@a/db', [at('a'), at('b')]],
    ['postgres://u@%2Frun,%2Ftmp:2/db', 'postgres://u@%2Frun/db', [at('/run'), at('/tmp', 2)]],
  ])('%s', (text, url, candidates) => {
    expect(readDatabaseUrl(text)).toEqual({ url, candidates });
    expect(whatIsWrongWithHosts(text)).toBeNull();
  });

  test.each([
    'postgres://u:p@a:5433/db?sslmode=require',
    'postgres:///db',
    'postgres://u@[::1]:5432/db',
    // A "#" that is not encoded: the driver reports the error.
    'postgres://u:p#x@a,b/db',
    'mysql://a,b/db',
    '',
  ])('%s: is left to the driver', (text) => {
    expect(readDatabaseUrl(text)).toEqual({ url: text, candidates: null });
    expect(whatIsWrongWithHosts(text)).toBeNull();
  });

  test.each([
    ['postgres://u:secret@a,b:port/db', /hosts as in a:5432,b:5432, found something else as number 2 of 2/],
    ['postgres://u:secret@a,,b/db', /number 2 of 3/],
    ['postgres://u:secret@a,b:65536/db', /number 2 of 2/],
    ['postgres://u:secret@%zz,b/db', /number 1 of 2/],
    ['postgres://u:secret@%zz/db?target_session_attrs=primary', /number 1 of 1/],
    // A password with what has to be encoded: its beginning looks like hosts.
    ['postgres://u:secret,x/y@a/db', /percent-encoded/],
    ['postgres://secret:12,x/y@a/db', /percent-encoded/],
    ['postgres://u:secret,x?y@a/db', /percent-encoded/],
    ['postgres://u:secret,x#y@a/db', /percent-encoded/],
    ['postgres://u:secret@a,b/db?target_session_attrs=standby', /target_session_attrs=read-write, found "standby"/],
    ['postgres://u:secret@a/db?target_session_attrs=any', /found "any"/],
  ])('%s: is rejected, with a message', (text, words) => {
    expect(whatIsWrongWithHosts(text)).toMatch(words);
    expect(whatIsWrongWithHosts(text)).not.toContain('secret');
  });

  test.each([
    'postgres://u@a,b:port/db',
    'postgres://u@a,,b/db',
    'postgres://u@a,b:65536/db',
    'postgres://u:p,x/y@a/db',
    'a text before postgres://u@a,b/db',
  ])('%s: none of its hosts is tried', (text) => {
    expect(readDatabaseUrl(text)).toEqual({ url: text, candidates: null });
  });

  test('may have the last port', () => {
    expect(readDatabaseUrl('postgres://a:65535,b/db').candidates).toEqual([at('a', 65_535), at('b')]);
  });

  test('are printed without user and password', () => {
    expect(hostsIn('postgres://u:secret@a:1,b/db?x=1')).toBe('a:1,b');
    expect(hostsIn('x')).toBe('');
  });
});

test.each([
  ['postgres://u:secret@a/db', 'secret'],
  ['postgres://u:p%40ss%2F@a:1,b:2/db', 'p@ss/'],
  ['postgres://u@a/db', null],
  ['postgres://u:@a/db', null],
  ['postgres://u:%zz@a/db', null],
  ['no URL', null],
  ['', null],
])('the password in %s is %s', (text, password) => {
  expect(passwordIn(text)).toBe(password);
});
