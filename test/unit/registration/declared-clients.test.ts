/** clients.yaml: its secrets are read from the environment, its errors have lines, and the database follows it. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeclaredClientRecord } from '../../../policies/client-schema.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { ConfigurationError } from '../../../src/config/problem.ts';
import { matchesStoredSecret, storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { configurationFiles } from '../../../src/model/actor.ts';
import { readClientMetadata } from '../../../src/registration/client-metadata.ts';
import {
  applyDeclaredClients,
  readDeclaredClients,
  requireClientsFile,
  requireNoSubs,
} from '../../../src/registration/declared-clients.ts';
import { type RegistrationDeps, registerClient } from '../../../src/registration/register-client.ts';
import { deleteClient, insertUser, saveClient } from '../../support/administration.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findClient, listClients } from '../../support/stored-clients.ts';

const shipped = loadConfiguration(new URL('../../../policies', import.meta.url).pathname, 'https://as.test');
const SECRET = 'Zr3-kW9_pQx7LmB2vT8sYc-Zr3-kW9_pQx7LmB2vT8sYc';
const OTHER = 'another-secret-that-is-as-long-as-the-first-one';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const shop = { client_id: 'shop', redirect_uris: ['https://shop.example/cb'] };
const page = { ...shop, client_id: 'page', token_endpoint_auth_method: 'none' } as const;
const ENVIRONMENT = {
  SECRET,
  OTHER,
  EMPTY: '',
  WEAK: 'hunter2',
  FEW: 'Zr3-kW9_pQx7LmB2vT8sYc-12345678',
  EDGE: 'Zr3-kW9_pQx7LmB2vT8sYc-123456789',
};

/** The lines say which field was asked for. */
const declaring = (...records: DeclaredClientRecord[]) => ({
  ...shipped,
  declaredClients: records.map((record, index) => ({
    record,
    path: `clients.${index}`,
    lineOf: (field: string | null) => 10 * (index + 1) + (field === null ? 0 : field.length),
  })),
});
const read = (records: readonly DeclaredClientRecord[], production = false) =>
  readDeclaredClients(declaring(...records), ENVIRONMENT, 'policies', production);

function problemsOf(read: () => unknown) {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('the file', () => {
  it.each<[string, object, { key: string; line: number; found: string; allowed: string }]>([
    [
      'a confidential client without a secret',
      shop,
      {
        key: 'clients.1',
        line: 20,
        found: 'no secret',
        allowed:
          'client_secret_environment or client_secret_sha256, or a token_endpoint_auth_method without a secret, such as none or private_key_jwt',
      },
    ],
    [
      'a variable that is not set',
      { ...shop, client_secret_environment: ['SECRET', 'NOWHERE'] },
      {
        key: 'clients.1.client_secret_environment',
        line: 45,
        found: 'NOWHERE, which is not set',
        allowed: 'a variable that holds the secret, or "statehouse secrets set NOWHERE"',
      },
    ],
    [
      'a variable that is empty',
      { ...shop, client_secret_environment: ['EMPTY'] },
      {
        key: 'clients.1.client_secret_environment',
        line: 45,
        found: 'EMPTY, which is not set',
        allowed: 'a variable that holds the secret, or "statehouse secrets set EMPTY"',
      },
    ],
    [
      'a public client with a secret',
      { ...page, client_id: 'app', client_secret_environment: ['SECRET'] },
      {
        key: 'clients.1.token_endpoint_auth_method',
        line: 46,
        found: '"none" with a secret',
        allowed: 'no secret with this method',
      },
    ],
    [
      'a public client with a hash',
      { ...page, client_id: 'app', client_secret_sha256: [sha256(SECRET)] },
      {
        key: 'clients.1.token_endpoint_auth_method',
        line: 46,
        found: '"none" with a secret',
        allowed: 'no secret with this method',
      },
    ],
    [
      'an address in a list',
      { ...page, client_id: 'app', redirect_uris: ['https://fine.example/', '/cb'] },
      {
        key: 'clients.1.redirect_uris.1',
        line: 33,
        found: '"/cb", which is not an absolute URI',
        allowed: 'an absolute URI, compared exactly (OAuth 2.1 §2.3.1)',
      },
    ],
  ])('is rejected for %s, with the line, after a valid client', (_, record, problem) => {
    expect(problemsOf(() => read([page, record as DeclaredClientRecord]))).toEqual([
      { file: 'clients.yaml', nearest: null, ...problem },
    ]);
  });

  it('is rejected with all of its errors', () => {
    const wrong = { ...shop, policy: 'unknown' };
    expect(problemsOf(() => read([wrong, { ...wrong, client_id: 'b' }])).map(({ key }) => key)).toEqual([
      'clients.0.policy',
      'clients.0',
      'clients.1.policy',
      'clients.1',
    ]);
  });

  it('accepts public clients, secrets of the environment and hashes', () => {
    const declared = read([
      page,
      { ...shop, client_secret_environment: ['SECRET'], client_secret_sha256: [sha256(OTHER)] },
    ]);
    expect(declared.map(({ metadata }) => metadata.clientId)).toEqual(['page', 'shop']);
    expect(declared.map(({ secretHashes }) => secretHashes.map((hash) => hash.toString('hex')))).toEqual([
      [],
      [sha256(SECRET), sha256(OTHER)],
    ]);
    expect(declared.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('warns of a secret that is short, or that production would reject, and never shows it', () => {
    const warnings = (variable: string) =>
      read([{ ...shop, scope: 'orders', client_secret_environment: ['SECRET', variable] }])[0]?.warnings ?? [];
    expect(warnings('FEW')).toEqual([
      expect.stringMatching(/^scope: no resource describes "orders"/),
      'client_secret_environment: a secret of fewer than 32 characters',
    ]);
    expect(warnings('EDGE')).toHaveLength(1);
    expect(warnings('WEAK')).toEqual([
      expect.stringMatching(/^scope:/),
      expect.stringMatching(/^client_secret_environment: WEAK, with 7 characters; expected at least 22/),
    ]);
    expect(warnings('WEAK').join()).not.toContain('hunter2');
  });

  it('is rejected in production with a weak secret', () => {
    const weak = [{ ...shop, client_secret_environment: ['SECRET', 'WEAK'] }];
    expect(problemsOf(() => read(weak, true))).toMatchObject([
      { key: 'clients.0.client_secret_environment', line: 35, found: 'WEAK, with 7 characters' },
    ]);
    expect(read([{ ...shop, client_secret_environment: ['SECRET'] }], true)).toHaveLength(1);
  });
});

describe('the database', () => {
  let test: TestDatabase;
  let deps: RegistrationDeps;
  beforeAll(async () => {
    test = await openTestDatabase(anyDatabase);
    const keys = rootKeys(['the root secret of this test, first']);
    deps = {
      db: test.database.drizzle,
      macs: rowMacs(keys),
      actor: configurationFiles,
      keys,
      random: systemRandom,
    };
  });
  afterAll(() => test.close());
  beforeEach(() => applyDeclaredClients(deps, []));

  const apply = (...records: DeclaredClientRecord[]) => applyDeclaredClients(deps, read(records));
  const stored = async (clientId: string) => {
    const client = await findClient(deps.db, clientId);
    if (client === null) throw new Error(`no client ${clientId}`);
    return client;
  };
  const withSecret = (...names: string[]) => ({ ...shop, client_secret_environment: names });

  it('has the clients of the file: added, changed field by field, removed for good', async () => {
    expect(await apply(page, withSecret('SECRET'))).toEqual([
      { clientId: 'page', change: 'added', fields: [] },
      { clientId: 'shop', change: 'added', fields: [] },
    ]);
    expect(await stored('page')).toMatchObject({ clientName: 'page', secretMacs: [], registeredBy: 'operator' });
    const { epoch } = await stored('shop');
    expect(await apply(page, { ...withSecret('SECRET'), client_name: 'Shop', scope: 'read' })).toEqual([
      { clientId: 'shop', change: 'changed', fields: ['client_name', 'scope'] },
    ]);
    expect(await stored('shop')).toMatchObject({ clientName: 'Shop', scope: ['read'], epoch });
    expect(await apply(page)).toEqual([{ clientId: 'shop', change: 'removed', fields: [] }]);
    expect(await findClient(deps.db, 'shop')).toBeNull();
    expect(await apply(page)).toEqual([]);
  });

  it('is unchanged by the same file, also after the root secret was replaced', async () => {
    await apply(withSecret('SECRET'));
    const before = await stored('shop');
    const keys = rootKeys(['the root secret of this test, second', 'the root secret of this test, first']);
    const rotated = { ...deps, keys };
    expect(await applyDeclaredClients(rotated, read([withSecret('SECRET')]))).toEqual([]);
    expect(await stored('shop')).toEqual(before);
    // While both secrets are live, the old MAC stays and the new secret gets its own.
    expect(await applyDeclaredClients(rotated, read([withSecret('OTHER', 'SECRET')]))).toEqual([
      { clientId: 'shop', change: 'changed', fields: ['client_secret'] },
    ]);
    const { secretMacs } = await stored('shop');
    expect(secretMacs[1]).toEqual(before.secretMacs[0]);
    expect(matchesStoredSecret(keys, secretMacs, rawSecret(OTHER))).toBe(true);
  });

  it('deletes a secret that the file no longer has', async () => {
    await apply(withSecret('OTHER', 'SECRET'));
    await apply(withSecret('OTHER'));
    const { secretMacs } = await stored('shop');
    expect(matchesStoredSecret(deps.keys, secretMacs, rawSecret(OTHER))).toBe(true);
    expect(matchesStoredSecret(deps.keys, secretMacs, rawSecret(SECRET))).toBe(false);
  });

  it('keeps otherwise registered clients, until the file declares them', async () => {
    const reading = readClientMetadata({ ...shop, client_secret: SECRET }, shipped, true);
    if (!reading.ok) throw new Error('refused');
    await registerClient(deps, reading.value);
    expect(await apply(page)).toEqual([{ clientId: 'page', change: 'added', fields: [] }]);
    expect(await findClient(deps.db, 'shop')).not.toBeNull();
    // The same fields and the same secret: from now on the file's.
    expect(await apply(page, withSecret('SECRET'))).toEqual([{ clientId: 'shop', change: 'changed', fields: [] }]);
    expect((await listClients(deps.db, { declared: true })).map(({ clientId }) => clientId)).toEqual(['page', 'shop']);
    expect(await apply()).toEqual([
      { clientId: 'page', change: 'removed', fields: [] },
      { clientId: 'shop', change: 'removed', fields: [] },
    ]);
  });

  it('does not report a removal that another node made first', async () => {
    await apply(page);
    const before = await stored('page');
    // Listed, and gone by the time of the deletion.
    await deleteClient(deps.db, 'page');
    const listed = { from: () => ({ where: () => ({ orderBy: async () => [before] }) }) };
    const select = vi.spyOn(deps.db, 'select').mockReturnValueOnce(listed as never);
    expect(await applyDeclaredClients(deps, [])).toEqual([]);
    expect(select).toHaveBeenCalledTimes(2);
    select.mockRestore();
  });

  it('with declared clients and no file ends nothing', async () => {
    const without = { ...shipped, hasClientsFile: false };
    await requireClientsFile(deps, without, 'policies');
    await saveClient(deps.db, { ...(await registrationOf()), clientId: 'made-by-command' });
    await requireClientsFile(deps, without, 'policies');
    await apply(page, { ...page, client_id: 'second' });
    await requireClientsFile(deps, { ...shipped, hasClientsFile: true }, 'policies');
    const refused: unknown = await requireClientsFile(deps, without, 'policies').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(refused).toMatchObject({
      problems: [
        {
          file: 'clients.yaml',
          key: null,
          line: null,
          found: 'no such file',
          allowed: 'the 2 clients that are declared in the database ("clients: []" ends them and their grants)',
        },
      ],
    });
  });

  const registrationOf = async () => {
    const [declared] = read([page]);
    if (!declared) throw new Error('not read');
    const { secret: _, clientName, ...metadata } = declared.metadata;
    return { ...metadata, clientName: clientName ?? 'x', secretMacs: [storedSecretMac(deps.keys, rawSecret(SECRET))] };
  };

  it('has no client whose id is the sub of an end-user', async () => {
    const id = systemRandom.uuid();
    await insertUser(deps.db, { id, username: 'ada', passwordHash: storedPasswordHash('x'), claims: {} });
    await requireNoSubs(deps, declaring(page), 'policies');
    const refused: unknown = await requireNoSubs(deps, declaring(page, { ...page, client_id: id }), 'policies').catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({
      problems: [
        {
          file: 'clients.yaml',
          key: 'clients.1.client_id',
          line: 29,
          found: 'the sub of an end-user',
          allowed: 'an id that no end-user has (RFC 9700 §4.15)',
        },
      ],
    });
  });
});
