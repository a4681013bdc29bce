/** Users and clients for tests, and what they do: authorize, exchange, refresh. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { storedSecretMac } from '../../src/crypto/client-secret.ts';
import { rowMacs } from '../../src/crypto/row-mac.ts';
import { rawSecret, storedPasswordHash } from '../../src/crypto/secret-types.ts';
import { type ClientRegistration, hasSecret } from '../../src/model/client.ts';
import { DEFAULT_METADATA } from '../../src/registration/client-metadata.ts';
import { insertUser, saveClient } from './administration.ts';
import type { TestApp } from './app.ts';
import { type Answer, Browser } from './browser.ts';

export const REDIRECT_URI = 'https://client.test/callback';
export const PASSWORD = 'correct horse battery staple';
/** Verified like any other, at the cost that it names: the least that argon2id takes, because tests sign in thousands of times. */
const passwordHash = hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 }).then(storedPasswordHash);

export type TestUser = { readonly id: string; readonly username: string };
export type TestClient = ClientRegistration & { readonly secret: string | null };

let serial = 0;

export async function makeUser(
  { database, keys }: Pick<TestApp, 'database'> & Partial<Pick<TestApp, 'keys'>>,
  username = `person-${++serial}`,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<TestUser> {
  const user = { id: randomUUID(), username };
  await insertUser(database.drizzle, { ...user, passwordHash: await passwordHash, claims }, keys && rowMacs(keys));
  return user;
}

export async function makeClient(
  { database, keys }: Pick<TestApp, 'database' | 'keys'>,
  change: Partial<ClientRegistration> = {},
): Promise<TestClient> {
  const { tokenEndpointAuthMethod = 'client_secret_basic' } = change;
  const secret = hasSecret({ tokenEndpointAuthMethod }) ? randomBytes(24).toString('base64url') : null;
  const registration: ClientRegistration = {
    ...DEFAULT_METADATA,
    clientId: `client-${++serial}`,
    clientName: 'Test client',
    tokenEndpointAuthMethod: 'client_secret_basic',
    secretMacs: secret === null ? [] : [storedSecretMac(keys, rawSecret(secret))],
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    ...change,
  };
  await saveClient(database.drizzle, registration, false, 'operator', rowMacs(keys));
  return { ...registration, secret };
}

export type Pkce = { readonly verifier: string; readonly challenge: string };
export function makePkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function authorizeUrl(
  client: Pick<TestClient, 'clientId' | 'redirectUris'>,
  pkce: Pkce,
  change: Readonly<Record<string, string | undefined>> = {},
): string {
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0],
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    state: 'a-state',
    ...change,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return `/oauth/authorize?${query}`;
}

/** Signs in and decides where a page asks; ends at the client's redirect URI. */
export async function goThrough(
  browser: Browser,
  url: string,
  user: TestUser,
  decision: 'approve' | 'deny' = 'approve',
): Promise<Answer> {
  let at = await browser.get(url);
  if (at.body.includes('name="password"'))
    at = await browser.submit(at, { username: user.username, password: PASSWORD });
  if (at.body.includes('name="decision"')) at = await browser.submit(at, { decision });
  return at;
}

/** A fresh code, through the real pages. */
export async function obtainCode(
  test: TestApp,
  client: TestClient,
  user: TestUser,
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<{ readonly code: string; readonly verifier: string }> {
  const pkce = makePkce();
  const { url } = await goThrough(new Browser(test.app), authorizeUrl(client, pkce, change), user);
  const code = URL.canParse(url) ? new URL(url).searchParams.get('code') : null;
  if (code === null) throw new Error(`no code came back: ${url}`);
  return { code, verifier: pkce.verifier };
}

export type TokenAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly json: {
    readonly access_token?: string;
    readonly refresh_token?: string;
    readonly id_token?: string;
    readonly token_type?: string;
    readonly expires_in?: number;
    readonly scope?: string;
    readonly error?: string;
    readonly error_description?: string;
  };
};

/** POST /oauth/token as this client: Basic when it has a secret, `client_id` when it is public. */
export async function token(
  { app }: Pick<TestApp, 'app'>,
  client: TestClient,
  /** As pairs, to send a parameter several times. */
  fields: Readonly<Record<string, string>> | [string, string][],
  headers: Readonly<Record<string, string>> = {},
): Promise<TokenAnswer> {
  const body = new URLSearchParams(fields);
  if (client.secret === null) body.set('client_id', client.clientId);
  const credentials = `${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.secret ?? '')}`;
  const reply = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
      ...(client.secret !== null && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    payload: body.toString(),
  });
  return { status: reply.statusCode, headers: reply.headers, json: reply.json() };
}

export const exchange = (
  test: Pick<TestApp, 'app'>,
  client: TestClient,
  { code, verifier }: { readonly code: string; readonly verifier: string },
  more: Readonly<Record<string, string>> = {},
): Promise<TokenAnswer> =>
  token(test, client, { grant_type: 'authorization_code', code, code_verifier: verifier, ...more });

export const refresh = (
  test: Pick<TestApp, 'app'>,
  client: TestClient,
  refreshToken: string,
  more: Readonly<Record<string, string>> = {},
): Promise<TokenAnswer> => token(test, client, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });

/** The first tokens of a fresh chain. */
export async function obtainTokens(
  test: TestApp,
  client: TestClient,
  user: TestUser,
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<{ readonly accessToken: string; readonly refreshToken: string }> {
  const { json } = await exchange(test, client, await obtainCode(test, client, user, change));
  if (!json.access_token || !json.refresh_token) throw new Error(`no tokens came back: ${json.error}`);
  return { accessToken: json.access_token, refreshToken: json.refresh_token };
}
