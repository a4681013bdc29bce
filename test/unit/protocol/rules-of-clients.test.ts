/** Rules about a client that need neither database nor HTTP: its keys, its way back, whether it has to push, and whether visitors sign up. */
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/crypto/digest.ts';
import { boundCertificate, sentThumbprint, tlsMethodsOf } from '../../../src/protocol/client-certificate.ts';
import { confirmationOf, tokenTypeOf } from '../../../src/protocol/confirmation.ts';
import { mustPush } from '../../../src/protocol/pushed-parameters.ts';
import { sendsMail, signUpIsOpen } from '../../../src/protocol/sign-up-is-open.ts';
import { wayBack } from '../../../src/protocol/way-back.ts';
import { type TestCertificate, testCertificate } from '../../support/client-certificates.ts';
import { at, client, configuration, POLICY } from './ports.ts';

describe('the confirmation of an access token', () => {
  it.each([
    [null, null, null, 'Bearer'],
    ['k', null, { jkt: 'k' }, 'DPoP'],
    [null, 'c', { 'x5t#S256': 'c' }, 'Bearer'],
    ['k', 'c', { jkt: 'k', 'x5t#S256': 'c' }, 'DPoP'],
  ])('with the key %j and the certificate %j is %j, of the type %s', (key, certificate, expected, type) => {
    const confirmation = confirmationOf({ key, certificate, problem: null } as never);
    expect(confirmation).toEqual(expected);
    expect(tokenTypeOf(confirmation)).toBe(type);
  });

  it('is absent from a bearer token', () => {
    expect(tokenTypeOf(undefined)).toBe('Bearer');
  });
});

describe('the way back to an app', () => {
  const back = (change: Parameters<typeof client>[0]) => wayBack('https://as.test', client(change));
  it('starts the sign-in again, with the issuer', () => {
    expect(back({ initiateLoginUri: 'https://shop.test/in?a=1', clientUri: 'https://shop.test/' })).toEqual({
      wayBack: { clientName: 'Shop', href: 'https://shop.test/in?a=1&iss=https%3A%2F%2Fas.test' },
    });
  });
  it('is the page of an app that starts no sign-in', () => {
    expect(back({ initiateLoginUri: null, clientUri: 'https://shop.test/' })).toEqual({
      wayBack: { clientName: 'Shop', href: 'https://shop.test/' },
    });
  });
  it('is empty without either, and for a deleted client', () => {
    expect(back({ initiateLoginUri: null, clientUri: null })).toEqual({});
    expect(back({ initiateLoginUri: 'https://shop.test/in', deletedAt: at(1) })).toEqual({});
  });
});

describe('a client has to push its authorization request', () => {
  const shipped = configuration();
  const everyClient = configuration({ signIn: { ...shipped.signIn, requirePushedAuthorizationRequests: true } });
  const profiled = configuration({ policies: new Map([['default', { ...POLICY, profile: 'fapi-2-security' }]]) });
  it.each([
    ['where nothing demands it', shipped, {}, false],
    ['by its registration', shipped, { requirePushedAuthorizationRequests: true }, true],
    ['where every client has to', everyClient, {}, true],
    ['by its profile', profiled, {}, true],
    ['as the console, where every client has to', everyClient, { clientId: 'statehouse-console' }, false],
    ['as the console, with a profile', profiled, { clientId: 'statehouse-console' }, false],
  ])('%s', (_, config, change, expected) => {
    expect(mustPush(config, client(change))).toBe(expected);
  });
});

describe('visitors', () => {
  const { signIn } = configuration();
  const open = () => configuration({ signIn: { ...signIn, signUp: 'open' } });
  const mail = (isOn: boolean) => ({ isOn: () => isOn });
  it('sign up where the policy says so, and the server sends mail', () => {
    expect(signUpIsOpen({ configuration: open, email: mail(true) })).toBe(true);
    expect(signUpIsOpen({ configuration: open, email: mail(false) })).toBe(false);
    expect(signUpIsOpen({ configuration: open, email: null })).toBe(false);
    expect(signUpIsOpen({ configuration, email: mail(true) })).toBe(false);
  });
  it('get mail where it is on', () => {
    expect([mail(true), mail(false), null, undefined].map((email) => sendsMail({ email }))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('a certificate that a proxy has passed', () => {
  let certificate: TestCertificate;
  beforeAll(async () => {
    certificate = await testCertificate({ from: at(0), to: at(100) });
  });
  const sent = () => () => certificate.der;
  const thumbprint = () => sha256(certificate.der).toString('base64url');

  it('binds a token while it is valid', () => {
    expect(boundCertificate(sent(), at(50))).toEqual({ thumbprint: thumbprint() });
  });
  it('binds no token where it is missing, or not valid, with the reason', () => {
    expect(boundCertificate(undefined, at(50))).toEqual({ thumbprint: null });
    expect(boundCertificate(() => null, at(50))).toEqual({ thumbprint: null });
    expect(boundCertificate(sent(), at(101))).toEqual({ thumbprint: null, problem: 'client_certificate_expired' });
    expect(boundCertificate(() => 'malformed', at(50))).toEqual({
      thumbprint: null,
      problem: 'client_certificate_malformed',
    });
  });
  it('has a thumbprint beside a presented token, also after its end', () => {
    expect(sentThumbprint(sent())).toBe(thumbprint());
    expect(sentThumbprint(() => 'malformed')).toBeNull();
    expect(sentThumbprint(() => null)).toBeNull();
    expect(sentThumbprint(undefined)).toBeNull();
  });
});

it('the methods of certificates depend on the settings, and one of them on authorities', () => {
  expect(tlsMethodsOf(null)).toEqual([]);
  expect(tlsMethodsOf(undefined)).toEqual([]);
  expect(tlsMethodsOf({ authorities: null } as never)).toEqual(['self_signed_tls_client_auth']);
  expect(tlsMethodsOf({ authorities: [] } as never)).toEqual(['tls_client_auth', 'self_signed_tls_client_auth']);
});
