/** Codes in mails on a database: concurrent guesses are counted exactly, one use is the only one, and the end-user is as loaded. */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  askForCode,
  presentCode,
  type SignInCodePorts,
  sendCode,
} from '../../../src/lifecycles/sign-in-code/lifecycle.ts';
import { NO_PASSWORD } from '../../../src/model/user.ts';
import { signInCodes } from '../../../src/storage/schema.ts';
import { signInCodeStore } from '../../../src/storage/sign-in-codes.ts';
import { disableUser, insertUser, updateUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { unheld } from '../../support/unheld.ts';
import { openPorts, type Ports } from './ports.ts';

const POLICY = { isOffered: true, lifetimeSeconds: 600, wrongCodesAllowed: 4 };
const RIGHT = Buffer.from('the right code');
const claims = { email: 'alice@example.com', email_verified: true };

describe.each(databaseKinds)('codes in mails on %s', (kind) => {
  let ports: Ports;
  let stores: SignInCodePorts;
  beforeAll(async () => {
    ports = await openPorts(kind);
    stores = { signInCodes: signInCodeStore(ports.db, ports.clock, testMacs), sleep: async () => {} };
  });
  afterAll(() => ports.close());

  const fresh = (change: { readonly browserHash?: Buffer } = {}) => ({
    id: randomUUID(),
    codeHash: RIGHT,
    sealedAccount: 'sealed',
    browserHash: randomBytes(32),
    place: 'direct',
    ...change,
  });
  async function sent() {
    const userId = randomUUID();
    const username = `user ${userId}`;
    await insertUser(ports.db, { id: userId, username, passwordHash: NO_PASSWORD, claims });
    const code = fresh();
    expect(await askForCode(stores, code, POLICY)).toEqual({ kind: 'stored' });
    expect(await sendCode(stores, code.id, userId, POLICY)).toMatchObject({ kind: 'sent' });
    return { ...code, userId, username };
  }
  type Sent = Awaited<ReturnType<typeof sent>>;
  const rowOf = async ({ id }: Pick<Sent, 'id'>) =>
    (await ports.db.select().from(signInCodes).where(eq(signInCodes.id, id)))[0];
  const load = async ({ id }: Pick<Sent, 'id'>) => {
    const loaded = await stores.signInCodes.load(id);
    if (loaded === null) throw new Error('The code is not found.');
    return loaded;
  };
  const present = async (code: Sent, hash: Buffer, loaded?: Awaited<ReturnType<typeof load>>) =>
    presentCode(
      stores,
      code.id,
      { hashes: [hash], browserHash: code.browserHash, place: code.place },
      POLICY,
      loaded ?? (await load(code)),
    );
  const wrong = () => randomBytes(14);

  test('of concurrent right presentations, one is accepted', async () => {
    const code = await sent();
    const loaded = await load(code);
    const answers = await Promise.all(Array.from({ length: 4 }, () => present(code, RIGHT, loaded)));
    expect(answers.filter((answer) => answer?.kind === 'accepted')).toEqual([
      { kind: 'accepted', userId: code.userId, userEpoch: 0n },
    ]);
    expect(answers.filter((answer) => answer?.kind === 'rejected')).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'rejected', reason: 'code_used' })),
    );
  });

  test('concurrent wrong codes are counted one by one, and the fifth ends the code', async () => {
    const code = await sent();
    const loaded = await load(code);
    for (let round = 0; round < 2; round++)
      await Promise.allSettled(Array.from({ length: 4 }, () => present(code, wrong(), loaded)));
    for (let more = 0; more < 5; more++) await present(code, wrong());
    expect(await rowOf(code)).toMatchObject({ state: 'spent', wrongCodes: 5 });
    expect(await present(code, RIGHT)).toEqual({ kind: 'rejected', reason: 'code_spent' });
  });

  test.each([
    [
      'another address',
      (code: Sent) =>
        updateUser(ports.db, code.userId, { claims: { ...claims, email: 'b@example.com' }, passwordHash: null }),
      'address_mismatch',
    ],
    ['no permission to sign in', (code: Sent) => disableUser(ports.db, code.username), 'user_ended'],
  ] as const)('an end-user with %s since the load is not signed in', async (_, change, reason) => {
    const code = await sent();
    const loaded = await load(code);
    await change(code);
    expect(await present(code, RIGHT, loaded)).toEqual({ kind: 'rejected', reason });
    expect(await rowOf(code)).toMatchObject({ state: 'active' });
  });

  test('of two codes that a browser asks for together, one is open', async () => {
    const browserHash = randomBytes(32);
    await Promise.all([1, 2].map(() => askForCode(stores, fresh({ browserHash }), POLICY)));
    const rows = await ports.db.select().from(signInCodes).where(eq(signInCodes.browserHash, browserHash));
    expect(rows.map(({ state }) => state).sort()).toEqual(['requested', 'superseded']);
  });

  test('a row that the server did not write is no code', async () => {
    const code = await sent();
    await unheld(ports.db, (db) =>
      db
        .update(signInCodes)
        .set({ wrongCodes: 0, endsAt: new Date('2099-01-01') })
        .where(eq(signInCodes.id, code.id)),
    );
    expect(await stores.signInCodes.load(code.id)).toBeNull();
  });

  test('a text that is no id names no code', async () => {
    expect(await stores.signInCodes.load('no id')).toBeNull();
    expect(await stores.signInCodes.load(randomUUID())).toBeNull();
  });
});
