/** A request about a registration whose commit was lost: the answer says nothing that the rows do not have. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { CommitStore } from '../../../src/engine/commit.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import type { SentRegistration } from '../../../src/lifecycles/client/lifecycle.ts';
import {
  askClientRegistration,
  type ClientRegistrationStore,
  changeRegistration,
  deleteRegistration,
  registerItself,
} from '../../../src/lifecycles/client-registration/lifecycle.ts';
import { clientRegistrationStore } from '../../../src/storage/client-registrations.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { testKeys, testMacs } from '../../support/macs.ts';
import { client } from '../protocol/ports.ts';

describe.each(['before it was made', 'after it was made'] as const)('a commit that was lost %s', (when) => {
  let database: TestDatabase;
  let store: ClientRegistrationStore;
  beforeAll(async () => {
    database = await openTestDatabase(anyDatabase);
    store = clientRegistrationStore(database.database.drizzle, databaseClock, testMacs);
  });
  afterAll(() => database.close());

  const RULES = { mostStored: 100, unusedSeconds: 86_400 };
  const TOKEN = new Uint8Array(32).fill(1);
  const SECRET = [storedSecretMac(testKeys, rawSecret('s'.repeat(43)))];
  const sent = (clientId: string, change: Partial<SentRegistration> = {}): SentRegistration => {
    const { epoch: _, deletedAt: __, ...metadata } = client({ clientId, registeredBy: 'self' });
    return { ...metadata, declared: false, ...change };
  };

  /** The connection fails at the first commit. */
  function losing(): { readonly ports: Parameters<typeof askClientRegistration>[0]; readonly commits: () => number } {
    let commits = 0;
    const commit: CommitStore = async (one) => {
      if (commits++ > 0) return store.commit(one);
      if (when === 'after it was made') await store.commit(one);
      throw new StoreUnavailable(true);
    };
    return { ports: { clientRegistrations: { ...store, commit }, sleep: async () => {} }, commits: () => commits };
  }
  const expectedCommits = when === 'after it was made' ? 1 : 2;

  async function registered(clientId: string) {
    const ports = { clientRegistrations: store, sleep: async () => {} };
    await askClientRegistration(ports, clientId, registerItself(RULES, sent(clientId), TOKEN));
  }

  it('of a registration', async () => {
    const { ports, commits } = losing();
    const fresh = sent('registering', { tokenEndpointAuthMethod: 'client_secret_basic', secretMacs: SECRET });
    const answer = await askClientRegistration(ports, 'registering', registerItself(RULES, fresh, TOKEN));
    expect([answer.kind, commits()]).toEqual(['done', expectedCommits]);
    expect((await store.load('registering')).client).toMatchObject(fresh);
  });

  it.each<[string, Partial<SentRegistration>]>([
    ['another redirect URI', { redirectUris: ['https://moved.test/cb'] }],
    ['a secret', { tokenEndpointAuthMethod: 'client_secret_basic', secretMacs: SECRET }],
  ])('of a change to %s', async (name, change) => {
    await registered(name);
    const { ports, commits } = losing();
    const changed = changeRegistration(
      RULES,
      () => true,
      () => sent(name, change),
    );
    const answer = await askClientRegistration(ports, name, changed);
    expect(answer).toMatchObject({ kind: 'done', client: change });
    expect((await store.load(name)).client).toMatchObject(change);
    expect(commits()).toBe(expectedCommits);
  });

  it('of a deletion', async () => {
    await registered('leaving');
    const { ports, commits } = losing();
    expect(
      (
        await askClientRegistration(
          ports,
          'leaving',
          deleteRegistration(() => true),
        )
      ).kind,
    ).toBe('done');
    expect((await store.load('leaving')).registration?.state ?? 'ended').toBe('ended');
    expect(commits()).toBe(expectedCommits);
  });
});
