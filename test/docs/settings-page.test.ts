/** docs/connecting-a-client.md, for products with a settings page: the values to type are those of the server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { exchange, makeClient, makeUser, obtainCode } from '../support/actors.ts';
import { openTestApp, shippedConfiguration } from '../support/app.ts';
import { anyDatabase, openTestDatabase } from '../support/database.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/connecting-a-client.md'), 'utf8');
const [, section = ''] = /^## Products with a settings page$([\s\S]*?)^## /m.exec(guide) ?? [];
const cells = new Map(
  [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].map(([, field = '', value = '']) => [field, value]),
);
/** The values in code, in the row of a field. */
const typed = (field: string) => [...(cells.get(field) ?? '').matchAll(/`([^`]+)`/g)].map(([, value]) => value);

async function opened() {
  const database = await openTestDatabase(anyDatabase);
  const test = await openTestApp(database.database, {
    configuration: shippedConfiguration,
    issuer: 'https://login.example.com',
  });
  onTestFinished(async () => {
    await test.app.close();
    await database.close();
  });
  return test;
}

it('names the URLs and the methods of the metadata', async () => {
  const { app } = await opened();
  const metadata = (await app.inject({ url: '/.well-known/openid-configuration' })).json();
  expect(typed('issuer, provider URL')).toEqual([metadata.issuer]);
  expect(typed('discovery URL, well-known URL')).toEqual([`${metadata.issuer}/.well-known/openid-configuration`]);
  expect(typed('authorization URL')).toEqual([metadata.authorization_endpoint]);
  expect(typed('token URL')).toEqual([metadata.token_endpoint]);
  expect(typed('UserInfo URL, API URL')).toEqual([metadata.userinfo_endpoint]);
  expect(typed('JWKS URL')).toEqual([metadata.jwks_uri]);
  expect(typed('logout URL, end session URL')[0]).toBe(metadata.end_session_endpoint);
  expect(metadata.response_types_supported).toEqual([typed('response type, flow')[0]]);
  expect(metadata.token_endpoint_auth_methods_supported).toEqual(
    expect.arrayContaining(typed('client authentication')),
  );
  expect(metadata.id_token_signing_alg_values_supported).toEqual(
    expect.arrayContaining(typed('signature of the ID Token')),
  );
});

it('names claims that UserInfo has', async () => {
  const test = await opened();
  const client = await makeClient(test);
  const user = await makeUser(test, 'ann', { email: 'ann@example.com', email_verified: true });
  const scope = typed('scopes')[0] ?? '';
  const { json } = await exchange(test, client, await obtainCode(test, client, user, { scope }));
  const headers = { authorization: `Bearer ${json.access_token}` };
  const claims = (await test.app.inject({ url: '/oauth/userinfo', headers })).json();
  expect(claims[typed('username')[0] ?? '']).toBe(user.username);
  for (const claim of [typed('id of the user')[0], ...typed('e-mail address, and whether it is proven')]) {
    expect(claims).toHaveProperty(claim ?? 'no claim');
  }
});
