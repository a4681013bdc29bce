/** The file of docs/connecting-a-client.md for apps that read the ID Token alone, in force. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { claimsSchema } from '../../policies/claims-schema.ts';
import { exchange, makeClient, makeUser, obtainCode } from '../support/actors.ts';
import { openTestApp, shippedConfiguration } from '../support/app.ts';
import { anyDatabase, openTestDatabase } from '../support/database.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/connecting-a-client.md'), 'utf8');
const [, file = ''] = /^# claims\.yaml,.*\n([\s\S]*?)^```$/m.exec(guide) ?? [];

const PROFILE = { name: 'Ann', picture: 'https://pictures.example.com/ann.png' };
const EMAIL = { email: 'ann@example.com', email_verified: true };

it.each([
  ['shipped', shippedConfiguration.claims, {}],
  ['of the guide', claimsSchema.parse(parse(file)), { ...PROFILE, ...EMAIL, preferred_username: 'ann' }],
])('with the claims.yaml %s, the ID Token has these claims', async (_, claims, expected) => {
  const opened = await openTestDatabase(anyDatabase);
  const test = await openTestApp(opened.database, { configuration: { ...shippedConfiguration, claims } });
  onTestFinished(async () => {
    await test.app.close();
    await opened.close();
  });
  const client = await makeClient(test);
  const user = await makeUser(test, 'ann', { ...PROFILE, ...EMAIL });
  const { json } = await exchange(
    test,
    client,
    await obtainCode(test, client, user, { scope: 'openid profile email' }),
  );
  const idToken = JSON.parse(Buffer.from(json.id_token?.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const { iss, sub, aud, iat, exp, auth_time, at_hash, acr, amr, sid, nonce, ...released } = idToken;
  expect(sub).toBe(user.id);
  expect(released).toEqual(expected);
  const headers = { authorization: `Bearer ${json.access_token}` };
  expect((await test.app.inject({ url: '/oauth/userinfo', headers })).json()).toMatchObject({ ...PROFILE, ...EMAIL });
});
