/** POST /oauth/revoke and /oauth/introspect, authenticated as at the token endpoint. */
import type { TestClient } from './actors.ts';
import type { TestApp } from './app.ts';

export type SentAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly json: Readonly<Record<string, unknown>>;
};

async function send(
  { app }: Pick<TestApp, 'app'>,
  url: string,
  client: TestClient,
  fields: Readonly<Record<string, string>>,
): Promise<SentAnswer> {
  const body = new URLSearchParams(fields);
  if (client.secret === null) body.set('client_id', client.clientId);
  const credentials = `${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.secret ?? '')}`;
  const reply = await app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client.secret !== null && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    payload: body.toString(),
  });
  return { status: reply.statusCode, headers: reply.headers, json: reply.json() };
}

export const revoke = (
  test: Pick<TestApp, 'app'>,
  client: TestClient,
  token: string,
  more: Readonly<Record<string, string>> = {},
): Promise<SentAnswer> => send(test, '/oauth/revoke', client, { token, ...more });

export const introspect = (
  test: Pick<TestApp, 'app'>,
  client: TestClient,
  token: string,
  more: Readonly<Record<string, string>> = {},
): Promise<SentAnswer> => send(test, '/oauth/introspect', client, { token, ...more });
