/** POST /oauth/par, authenticated as at the token endpoint, and the link that a browser opens afterwards. */
import { authorizeUrl, makePkce, type Pkce, type TestClient } from './actors.ts';
import type { TestApp } from './app.ts';

export type Pushed = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly json: {
    readonly request_uri?: string;
    readonly expires_in?: number;
    readonly error?: string;
    readonly error_description?: string;
  };
  /** For the browser of the end-user. */
  readonly link: string;
  readonly pkce: Pkce;
};

export const formOfRequest = (
  client: TestClient,
  pkce: Pkce,
  change: Readonly<Record<string, string | undefined>> = {},
): string => authorizeUrl(client, pkce, change).split('?')[1] ?? '';

export const basicOf = ({ clientId, secret }: TestClient): Readonly<Record<string, string>> =>
  secret === null
    ? {}
    : {
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64')}`,
      };

/** @param body absent: a valid request of this client. */
export async function push(
  { app }: Pick<TestApp, 'app'>,
  client: TestClient,
  change: Readonly<Record<string, string | undefined>> = {},
  {
    body,
    headers,
    url = '/oauth/par',
    address = '198.51.100.7',
  }: {
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly url?: string;
    readonly address?: string;
  } = {},
): Promise<Pushed> {
  const pkce = makePkce();
  const reply = await app.inject({
    method: 'POST',
    url,
    remoteAddress: address,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(headers ?? basicOf(client)) },
    payload: body ?? formOfRequest(client, pkce, change),
  });
  const json: Pushed['json'] = reply.json();
  const link = linkOf(client.clientId, json.request_uri ?? '');
  return { status: reply.statusCode, headers: reply.headers, json, link, pkce };
}

export const linkOf = (clientId: string, requestUri: string): string =>
  `/oauth/authorize?${new URLSearchParams({ client_id: clientId, request_uri: requestUri })}`;
