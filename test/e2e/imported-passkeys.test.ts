/**
 * A passkey that another system registered, in a real browser with its virtual authenticator. The system is a page of this host name. It
 * makes passkeys with a user handle of its own, and exports them as Keycloak writes them.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authorizeUrl, exchange, makeClient, makePkce, type TestClient } from '../support/actors.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { openCommandLine } from '../unit/cli/command-line.ts';

/** `navigator.credentials.create`, with the id of the user as Keycloak sends it. Resolves to base64url. */
const CREATE = `async ({ id, name, discoverable }) => {
  const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
  const { response } = await navigator.credentials.create({ publicKey: {
    challenge: crypto.getRandomValues(new Uint8Array(32)),
    rp: { id: 'localhost', name: 'keycloak' },
    user: { id: new TextEncoder().encode(id), name, displayName: name },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    authenticatorSelection: discoverable
      ? { residentKey: 'required', userVerification: 'required' }
      : { residentKey: 'discouraged', userVerification: 'discouraged' },
  } });
  return text(response.getAuthenticatorData());
}`;

describe.skipIf(chromiumPath === null)('a passkey of another system, in a real browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-imported-passkeys-'));
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let callback: Callback;
  let client: TestClient;
  let context: BrowserContext;
  let page: Page;
  let device: CDPSession;
  let authenticatorId: string;
  let serial = 0;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    const signIn = { ...shippedConfiguration.signIn, signInPage: 'identifierFirst' } as const;
    test = await listen(opened.database, { configuration: { ...shippedConfiguration, signIn } });
    callback = await openCallback();
    browser = await launchChromium();
    client = await makeClient(test, { redirectUris: [callback.redirectUri], tokenEndpointAuthMethod: 'none' });
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    context = await newContext(browser);
    page = await context.newPage();
    ({ device, authenticatorId } = await addAuthenticator(page));
  });
  afterEach(() => context.close());

  const touch = (enabled: boolean) =>
    device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });

  /** Of Keycloak's WebAuthnCredentialData. */
  async function createdElsewhere(user: { id: string; name: string }, type: 'webauthn' | 'webauthn-passwordless') {
    await page.goto(callback.redirectUri.replace('127.0.0.1', 'localhost').replace('/callback', '/old-system'));
    const asked = JSON.stringify({ ...user, discoverable: type === 'webauthn-passwordless' });
    const data = Buffer.from(await page.evaluate<string>(`(${CREATE})(${asked})`), 'base64');
    // WebAuthn §6.5.1: behind the hash, the flags, the counter and the AAGUID.
    const length = data.readUInt16BE(53);
    const credentialData = {
      aaguid: '00000000-0000-0000-0000-000000000000',
      credentialId: data.subarray(55, 55 + length).toString('base64'),
      counter: data.readUInt32BE(33),
      credentialPublicKey: data.subarray(55 + length).toString('base64url'),
      attestationStatementFormat: 'none',
      transports: ['internal'],
    };
    return { type, userLabel: 'Old laptop', createdDate: 1693888572702, secretData: '{}', credentialData };
  }

  async function movesIn(user: { id: string; name: string }, credentials: readonly object[]): Promise<string> {
    const file = join(folder, `${user.name}.json`);
    const written = credentials.map((one) =>
      'credentialData' in one ? { ...one, credentialData: JSON.stringify(one.credentialData) } : one,
    );
    const users = [{ id: user.id, username: user.name, enabled: true, credentials: written }];
    writeFileSync(file, JSON.stringify({ realm: 'acme', webAuthnPolicyPasswordlessRpId: 'localhost', users }));
    const line = await openCommandLine(opened.database);
    const args = ['users', 'import', '--from', 'keycloak', file, '--rp-id', 'localhost'];
    const { status, out, err } = await line.run(args, { env: { STATEHOUSE_ISSUER: test.issuer } });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    return out;
  }

  const movedUser = () => {
    const number = ++serial;
    return { id: `f:realm:${number}`, name: `mover${number}` };
  };

  async function claimsOf(verifier: string) {
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const code = callback.received.at(-1)?.get('code') ?? '';
    const { json } = await exchange(test, client, { code, verifier });
    return JSON.parse(Buffer.from(json.id_token?.split('.')[1] ?? '', 'base64url').toString());
  }
  const start = async () => {
    const { verifier, ...pkce } = makePkce();
    await page.goto(`${test.issuer}${authorizeUrl(client, { verifier, ...pkce }, { scope: 'openid read' })}`);
    return verifier;
  };

  it('signs in by autofill, with the handle of that system', async () => {
    const user = movedUser();
    const out = await movesIn(user, [await createdElsewhere(user, 'webauthn-passwordless')]);
    expect(out).toContain('  1 sign in with a passkey only\n');
    expect(out).toContain('  (1 passkey: browsers use them only at localhost)\n');
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ userHandle: Buffer.from(user.id).toString('base64') }]);
    const verifier = await start();
    expect(await claimsOf(verifier)).toMatchObject({ sub: user.id, acr: 'urn:statehouse:acr:phishing-resistant' });
  });

  it('signs in after the identifier, and is in the list of the account', async () => {
    const user = movedUser();
    await movesIn(user, [await createdElsewhere(user, 'webauthn-passwordless')]);
    await touch(false);
    const verifier = await start();
    await page.getByLabel('E-mail address or username').fill(user.name);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByText(`Signing in as ${user.name}`).waitFor();
    await touch(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    expect(await claimsOf(verifier)).toMatchObject({ sub: user.id });
    await page.goto(`${test.issuer}/account/sign-in-methods`);
    await page.getByText('Old laptop', { exact: true }).waitFor();
  });

  it('that was a second factor stands behind the password', async () => {
    const user = movedUser();
    const key = await createdElsewhere(user, 'webauthn');
    const secretData =
      '{"value":"BuViHNDGmCq80fvpty/QoggTI8NSt0CuNDGgeoa5f5A=","salt":"RJ0aLMQ2qKbZuROs7qQhcA==","additionalParameters":{}}';
    const credentialData = {
      hashIterations: 5,
      algorithm: 'argon2',
      additionalParameters: {
        hashLength: ['32'],
        memory: ['7168'],
        type: ['id'],
        version: ['1.3'],
        parallelism: ['1'],
      },
    };
    await movesIn(user, [{ type: 'password', secretData, credentialData }, key]);
    await touch(false);
    const verifier = await start();
    await page.getByLabel('E-mail address or username').fill(user.name);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByLabel('Password').fill('iceberg');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Your account has a passkey').waitFor();
    await touch(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    expect(await claimsOf(verifier)).toMatchObject({ sub: user.id, amr: ['pwd', 'swk', 'user', 'mfa'] });
  });
});
