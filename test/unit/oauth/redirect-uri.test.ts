/** Redirect URIs: compared exactly, but for the port of a native app on a loopback literal (RFC 8252 §7.3). */
import { describe, expect, it } from 'vitest';
import {
  isRegisteredRedirectUri,
  leadsToThisDevice,
  whatIsWrongWithRedirectUri,
  withParameters,
} from '../../../src/oauth/redirect-uri.ts';

const may = (
  applicationType: 'web' | 'native',
  registered: string,
  asked: string,
  registeredBy: 'operator' | 'self' = 'operator',
) =>
  isRegisteredRedirectUri(
    { redirectUris: ['https://else.example/', registered], applicationType, registeredBy },
    asked,
  );

describe('a requested redirect URI', () => {
  it.each([
    'https://app.example/callback',
    'http://localhost/callback',
    'com.example.app:/callback',
    'http://127.0.0.1/callback',
  ])('may be the registered one: %s', (uri) => {
    expect([may('web', uri, uri), may('native', uri, uri)]).toEqual([true, true]);
  });

  it.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:1/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:65535/callback'],
    ['http://127.0.0.1:4000/callback', 'http://127.0.0.1:50123/callback'],
    ['http://127.0.0.1:4000/callback', 'http://127.0.0.1/callback'],
    ['http://[::1]/callback?a=b', 'http://[::1]:50123/callback?a=b'],
    ['http://127.0.0.1', 'http://127.0.0.1:50123'],
    ['http://127.0.0.1?a', 'http://127.0.0.1:50123?a'],
    ['http://127.0.0.1/', 'http://127.0.0.1:50123/'],
  ])("may have a native app's own port: %s, %s", (registered, asked) => {
    expect(may('native', registered, asked)).toBe(true);
    expect(may('web', registered, asked)).toBe(false);
  });

  it.each([
    ['http://localhost/callback', 'http://localhost:58135/callback'],
    ['http://localhost:8080/callback', 'http://localhost:3118/callback'],
    ['http://localhost', 'http://localhost:3118'],
  ])('may have any port of localhost where a native app introduced itself: %s, %s', (registered, asked) => {
    expect(may('native', registered, asked, 'self')).toBe(true);
    expect(may('web', registered, asked, 'self')).toBe(false);
    expect(may('native', registered, asked)).toBe(false);
  });

  it.each([
    ['port 0', 'http://localhost/a', 'http://localhost:0/a'],
    ['a scheme in front', 'http://localhost/a', 'app:http://localhost:8/a'],
    ['another path', 'http://localhost/a', 'http://localhost:8/b'],
    ['https', 'http://localhost/a', 'https://localhost:8/a'],
    ['a literal', 'http://localhost/a', 'http://127.0.0.1:8/a'],
    ['a name of localhost', 'http://app.localhost/a', 'http://app.localhost:8/a'],
    ['a host that begins so', 'http://localhost/a', 'http://localhost.example/a'],
    ['a host that begins with all of it', 'http://localhost', 'http://localhost.example'],
    ['a user before another host', 'http://localhost', 'http://localhost:8@evil.example'],
  ])('of an app that introduced itself may have no other difference: %s', (_, registered, asked) => {
    expect(may('native', registered, asked, 'self')).toBe(false);
  });

  it.each([
    ['port 0', 'http://127.0.0.1/a', 'http://127.0.0.1:0/a'],
    ['no such port', 'http://127.0.0.1/a', 'http://127.0.0.1:65536/a'],
    ['six digits', 'http://127.0.0.1/a', 'http://127.0.0.1:050123/a'],
    ['an empty port', 'http://127.0.0.1/a', 'http://127.0.0.1:/a'],
    ['a port that is no number', 'http://127.0.0.1/a', 'http://127.0.0.1:8x/a'],
    ['another path', 'http://127.0.0.1/a', 'http://127.0.0.1:8/b'],
    ['a longer path', 'http://127.0.0.1/a', 'http://127.0.0.1:8/a/'],
    ['another query', 'http://127.0.0.1/a', 'http://127.0.0.1:8/a?b'],
    ['a path where none is registered', 'http://127.0.0.1', 'http://127.0.0.1:8/'],
    ['a line break in the path', 'http://127.0.0.1/a', 'http://127.0.0.1:8/a\nb'],
    ['the other literal', 'http://127.0.0.1/a', 'http://[::1]:8/a'],
    ['https', 'http://127.0.0.1/a', 'https://127.0.0.1:8/a'],
    ['https on both sides', 'https://127.0.0.1/a', 'https://127.0.0.1:8/a'],
    ['localhost, which is a name', 'http://localhost/a', 'http://localhost:8/a'],
    ['another loopback address', 'http://127.0.0.2/a', 'http://127.0.0.2:8/a'],
    ['a host that begins so', 'http://127.0.0.1/a', 'http://127.0.0.1.example/a'],
    ['a user whose name looks so', 'http://127.0.0.1/a', 'http://127.0.0.1:8@evil.example/a'],
    ['a host that begins with all that is registered', 'http://127.0.0.1', 'http://127.0.0.1.evil.example/a'],
    ['a user before another host', 'http://127.0.0.1', 'http://127.0.0.1@evil.example/a'],
    ['a port before another host', 'http://127.0.0.1', 'http://127.0.0.1:8@evil.example/a'],
    ['a dot that is another sign', 'http://127.0.0.1/a', 'http://127x0x0x1:8/a'],
    ['something before it', 'http://127.0.0.1/a', 'xhttp://127.0.0.1:8/a'],
    ['two that are no literals', 'https://app.example/a', 'https://other.example/a'],
    ['a literal where none is registered', 'https://app.example/a', 'http://127.0.0.1:8/a'],
    ['none where a literal is registered', 'http://127.0.0.1/a', 'https://app.example/a'],
  ])('is unregistered with %s', (_, registered, asked) => {
    expect(may('native', registered, asked)).toBe(false);
  });

  it('may have a line break in its query only where it was registered with it', () => {
    expect(may('native', 'http://127.0.0.1/a\nb', 'http://127.0.0.1:8/a\nb')).toBe(true);
  });
});

describe('a redirect', () => {
  it.each([
    'http://localhost/a',
    'http://localhost:8/a',
    'https://app.localhost/a',
    'http://127.0.0.1/a',
    'http://127.255.12.3/a',
    'https://127.0.0.1/a',
    'http://[::1]:8/a',
    'com.example.app:/a',
    'com.example.app://app.example/a',
  ])('leads to this device: %s', (uri) => {
    expect(leadsToThisDevice(uri)).toBe(true);
  });

  it.each([
    'https://app.example/a',
    'http://app.example/a',
    'https://localhost.example/a',
    'https://notlocalhost/a',
    'https://127.0.0.1.example/a',
    'https://app.127.example/a',
    'http://[::2]/a',
    'http://128.0.0.1/a',
    'https://app.example/localhost',
  ])('leads to another host: %s', (uri) => {
    expect(leadsToThisDevice(uri)).toBe(false);
  });
});

describe('a redirect URI to register', () => {
  it.each([
    'https://app.example/callback?a=b',
    'http://127.0.0.1/callback',
    'com.example.app:/callback',
    'https://app.example/?javascript:data:',
    'https://app.example/?q=*',
    'x-data:/a',
    'database:/a',
    // An empty path is the one difference that browsers may make.
    'https://app.example',
    'https://app.example?a=b',
    'https://app.example:8443',
    'http://127.0.0.1:3000',
    'http://[::1]',
    'https://xn--bcher-kva.example/callback',
    'https://app.example/a%20b?c=%2F',
    'https://app.example/~a/b;c=d,e!$&()+@:',
    'com.example.app:callback',
    'com.example.app://callback',
    'com.example.app://app.example/a?b=c',
    'urn:ietf:wg:oauth:2.0:oob',
  ])('%s is valid', (uri) => {
    expect(whatIsWrongWithRedirectUri(uri)).toBeNull();
  });

  it.each([
    ['https://app.example\\@evil.example/', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['com.example.app://a\\b', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['https://app.example/\tb', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['https://app.example/{id}', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['https://bücher.example/', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['https://APP.example/a', 'browsers read as "https://app.example/a"; write it so'],
    ['HTTPS://app.example/a', 'browsers read as "https://app.example/a"; write it so'],
    ['com.example.App:/a', 'browsers read as "com.example.app:/a"; write it so'],
    ['https://app.example:443/a', 'browsers read as "https://app.example/a"; write it so'],
    ['https://app.example:443', 'browsers read as "https://app.example/"; write it so'],
    ['http://127.0.0.1:80/a', 'browsers read as "http://127.0.0.1/a"; write it so'],
    ['https://app.example:/a', 'browsers read as "https://app.example/a"; write it so'],
    ['https://app.example/a/../b', 'browsers read as "https://app.example/b"; write it so'],
    ['https://app.example/a/./b', 'browsers read as "https://app.example/a/b"; write it so'],
    ['https://app.example/%2e%2E/b', 'browsers read as "https://app.example/b"; write it so'],
    ['https://app.example/..', 'browsers read as "https://app.example/"; write it so'],
    ['https://%61pp.example/a', 'browsers read as "https://app.example/a"; write it so'],
    ['https:app.example/a', 'browsers read as "https://app.example/a"; write it so'],
    ['https:///app.example/a', 'browsers read as "https://app.example/a"; write it so'],
    ['https:/app.example', 'browsers read as "https://app.example/"; write it so'],
    ['https://@app.example/a', 'browsers read as "https://app.example/a"; write it so'],
    ['https://@app.example', 'browsers read as "https://app.example/"; write it so'],
    ['https://2130706433/a', 'browsers read as "https://127.0.0.1/a"; write it so'],
    ['http://127.1/a', 'browsers read as "http://127.0.0.1/a"; write it so'],
    ['http://[0:0:0:0:0:0:0:1]/a', 'browsers read as "http://[::1]/a"; write it so'],
    ["https://app.example/?a='", 'browsers read as "https://app.example/?a=%27"; write it so'],
    ['', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['https://app.example/a b', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['https://app.example/é', 'has characters that a URI cannot have (RFC 3986 §2)'],
    [' https://app.example/', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['https://app.example/\n', 'has characters that a URI cannot have (RFC 3986 §2)'],
    ['/callback', 'is not an absolute URI'],
    ['app.example', 'is not an absolute URI'],
    ['https://', 'is not an absolute URI'],
    ['https://app.example/#', 'has a fragment (RFC 6749 §3.1.2 forbids it)'],
    ['https://app.example/#a', 'has a fragment (RFC 6749 §3.1.2 forbids it)'],
    ['javascript:alert(1)', 'has the scheme javascript:'],
    ['JAVASCRIPT:alert(1)', 'has the scheme javascript:'],
    ['data:text/html,x', 'has the scheme data:'],
    ['vbscript:x', 'has the scheme vbscript:'],
    ['file:///etc/passwd', 'has the scheme file:'],
    ['blob:https://app.example/1', 'has the scheme blob:'],
    ['about:blank', 'has the scheme about:'],
    ['filesystem:https://app.example/temporary/1', 'has the scheme filesystem:'],
    ['view-source:https://app.example/', 'has the scheme view-source:'],
    ['feed:javascript:alert(1)', 'has the scheme feed:'],
    ['ftp://app.example/cb', 'has the scheme ftp:'],
    ['ws://app.example/cb', 'has the scheme ws:'],
    ['wss://app.example/cb', 'has the scheme wss:'],
    ['mailto:app@app.example', 'has the scheme mailto:'],
    ['tel:1', 'has the scheme tel:'],
    ['sms:1', 'has the scheme sms:'],
    ['https://user@app.example/', 'has a user or a password in it'],
    ['https://:password@app.example/', 'has a user or a password in it'],
    ['https://*.app.example/', 'has a wildcard; redirect URIs are compared exactly'],
    ['https://app.example/*', 'has a wildcard; redirect URIs are compared exactly'],
  ])('%j: it %s', (uri, wrong) => {
    expect(whatIsWrongWithRedirectUri(uri)).toBe(wrong);
  });
});

describe('the parameters of a response', () => {
  it.each([
    ['https://app.example/a', 'https://app.example/a?code=x+y&state=%26'],
    ['https://app.example/a?', 'https://app.example/a?code=x+y&state=%26'],
    ['https://app.example/a?b=%7e', 'https://app.example/a?b=%7e&code=x+y&state=%26'],
    ['https://app.example/a?b&', 'https://app.example/a?b&code=x+y&state=%26'],
    ['com.example.app:/a', 'com.example.app:/a?code=x+y&state=%26'],
  ])('are added to %s', (uri, expected) => {
    expect(withParameters(uri, { code: 'x y', iss: null, state: '&' })).toBe(expected);
  });
});
