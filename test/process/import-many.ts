/**
 * For a test of memory: writes a Keycloak realm of many users, and imports it into a store that keeps nothing. Arguments: the file, and
 * the number of users.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { openSource } from '../../src/cli/export-options.ts';
import { systemInput } from '../../src/cli/input.ts';
import { importPeople } from '../../src/cli/people-import.ts';
import { readImportedUser } from '../../src/registration/imported-user.ts';

const [file = '', count = '0'] = process.argv.slice(2);
const credential = {
  id: 'c3f3759e-9d8a-4628-aad9-09e66f28a4e2',
  type: 'password',
  createdDate: 1693888572700,
  secretData:
    '{"value":"BuViHNDGmCq80fvpty/QoggTI8NSt0CuNDGgeoa5f5A=","salt":"RJ0aLMQ2qKbZuROs7qQhcA==","additionalParameters":{}}',
  credentialData:
    '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
};
const userOf = (number: number) => ({
  id: `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
  username: `user${number}`,
  firstName: 'First',
  lastName: `Last${number}`,
  email: `user${number}@example.com`,
  emailVerified: true,
  enabled: true,
  createdTimestamp: 1577836800123,
  credentials: number % 50 === 0 ? [] : [credential],
  realmRoles: ['default-roles-acme'],
  groups: ['/staff'],
  attributes: { note: ['x'.repeat(1_200)] },
});

const written = createWriteStream(file);
written.write('{"realm":"acme","users":[');
for (let number = 0; number < Number(count); number++)
  if (!written.write(`${number === 0 ? '' : ',\n'}${JSON.stringify(userOf(number))}`)) await once(written, 'drain');
written.end('],"identityProviders":[]}');
await once(written, 'finish');

let placed = 0;
const cli = {
  env: {},
  input: systemInput,
  output: { print: (text: string) => process.stdout.write(text), complain: () => {} },
  runningServer: async () => null,
  openRuntime: () => Promise.reject(new Error('There is no database.')),
};
const source = await openSource(cli, [file], { from: 'keycloak', sub: 'keep' });
const people = {
  atOnce: 500,
  rpId: null,
  addressesIdentify: true,
  read: (input: unknown) => readImportedUser(input, true),
  find: async (records: readonly unknown[]) => records.map(() => ({ kind: 'new' }) as const),
  place: async (records: readonly { readonly username: string; readonly sub: string | null }[]) => {
    placed += records.length;
    return records.map(({ username, sub }) => ({
      kind: 'placed' as const,
      outcome: 'created' as const,
      username,
      sub: sub ?? '',
      changed: [],
      disabled: false,
    }));
  },
};
const options = { asJson: false, dryRun: false, skipRefused: false, report: null, pairs: null, startAt: 1 };
await importPeople(cli, people, source, options);
process.stdout.write(`${placed} placed\n`);
