/** `check` works out when a chain ends, and remembers what it cannot see. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { ClientRegistration } from '../../../src/model/client.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { saveClient } from '../../support/administration.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const SECRET = 'a-root-secret-of-more-than-32-bytes';
const keys = rootKeys([SECRET]);
const DAY = 86_400_000;

describe('check', () => {
  let line: CommandLine;
  let postgres: TestDatabase<string>;
  beforeAll(async () => {
    line = await openCommandLine();
    postgres = await openTestDatabase('postgres');
  });
  afterAll(async () => {
    await postgres.close();
    await line.close();
  });

  const save = (clientId: string, change: Partial<ClientRegistration>) =>
    saveClient(postgres.database.drizzle, {
      ...DEFAULT_METADATA,
      clientId,
      clientName: clientId,
      tokenEndpointAuthMethod: 'client_secret_basic',
      secretMacs: [storedSecretMac(keys, rawSecret('a long random secret, of 32 characters or more'))],
      redirectUris: ['https://app.test/callback'],
      grantTypes: ['authorization_code', 'refresh_token'],
      ...change,
    });
  const check = (...more: string[]) =>
    line.run(['check', ...more], { env: { DATABASE_URL: postgres.url, STATEHOUSE_SECRET: SECRET } });

  it('says when a chain of today ends, idle and used', async () => {
    await save('app', {});
    const { out } = await check('--json');
    const [{ chain_signed_in_now: chain }] = JSON.parse(out).clients;
    const days = (instant: string) => Math.round((Date.parse(instant) - Date.now()) / DAY);
    expect({ idle: days(chain.idle), used: days(chain.used) }).toEqual({ idle: 30, used: 180 });
    expect((await check()).out).toMatch(
      /signed in today +an idle chain ends \d{4}-.* UTC, a used one at the latest \d{4}-/,
    );
  });

  it('promises no chain to a client that cannot refresh', async () => {
    await save('app', { grantTypes: ['authorization_code'] });
    expect(JSON.parse((await check('--json')).out).clients[0].chain_signed_in_now).toBeNull();
  });

  it('warns of a short secret that was imported, and of an http redirect', async () => {
    await save('app', {
      secretMacs: [storedSecretMac(keys, rawSecret('hunter2'))],
      redirectUris: ['http://app.test/callback'],
    });
    const { status, out } = await check();
    expect(status).toBe(0);
    expect(out).toMatch(/warning: client_secret: was imported with fewer than 32 characters/);
    expect(out).toMatch(/warning: redirect_uris\.0: .* is http/);
    expect(out).not.toContain('hunter2');
  });
});
