/** Clients that register themselves, and the rules under which a server lets them. */
import type { DynamicRegistration } from '../../policies/registration-schema.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import type { TestClient } from './actors.ts';
import { shippedConfiguration, type TestApp } from './app.ts';

export const API = 'https://api.example.com';
export const CALLBACK = 'https://agent.example/callback';

export const RULES: DynamicRegistration = {
  access: 'open',
  scopes: ['openid', 'read', 'offline_access'],
  resources: [API],
  policy: 'native-app',
  registrationsPerHour: 1000,
  maxRegistrations: 10_000,
  unusedDays: 30,
};

export const acceptingRegistrations = (change: Partial<DynamicRegistration> = {}): Configuration => ({
  ...shippedConfiguration,
  registration: { dynamicRegistration: { ...RULES, ...change } },
});

export type Members = Readonly<Record<string, unknown>>;

/** As an agent sends it. */
export const metadataOf = (change: Members = {}): Members => ({
  client_name: 'Agent',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...change,
});

export type Registered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly json: Members & {
    readonly client_id: string;
    readonly client_secret?: string;
    readonly registration_access_token: string;
    readonly registration_client_uri: string;
    readonly error?: string;
    readonly error_description?: string;
  };
};

type Sent = {
  readonly url?: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly payload?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
};

/** A text is sent as it is. */
export async function send(
  { app }: Pick<TestApp, 'app'>,
  { url = '/oauth/register', method = 'POST', payload, headers = {}, remoteAddress = '192.0.2.7' }: Sent,
): Promise<Registered> {
  const reply = await app.inject({
    ...{ method, url: url.replace(/^https?:\/\/[^/]+/, ''), remoteAddress },
    headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(payload !== undefined && { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  const json = reply.body === '' ? {} : reply.json<Registered['json']>();
  return { status: reply.statusCode, headers: reply.headers, json: json as Registered['json'] };
}

export const register = (test: Pick<TestApp, 'app'>, change: Members = {}, sent: Sent = {}): Promise<Registered> =>
  send(test, { payload: metadataOf(change), ...sent });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Of a registration, by its own token or another. */
export const manage = (
  test: Pick<TestApp, 'app'>,
  { json }: Pick<Registered, 'json'>,
  sent: Pick<Sent, 'method' | 'payload'> = {},
  token = json.registration_access_token,
): Promise<Registered> =>
  send(test, { method: 'GET', url: json.registration_client_uri, headers: bearer(token), ...sent });

/** For a browser and for the token endpoint. */
export const clientOf = ({ json }: Pick<Registered, 'json'>): TestClient =>
  ({
    clientId: json.client_id,
    redirectUris: json['redirect_uris'],
    secret: json.client_secret ?? null,
    tokenEndpointAuthMethod: json['token_endpoint_auth_method'],
  }) as object as TestClient;
