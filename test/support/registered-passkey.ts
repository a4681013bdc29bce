/** A passkey of an end-user that is registered already. */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { passkeyFacts } from '../../src/lifecycles/passkey/table.ts';
import {
  coseKeyOf,
  type Forged,
  optionsOn,
  type SoftwarePasskey,
  signWithPasskey,
} from '../../src/review/simulation/devices/passkey.ts';
import { passkeys } from '../../src/storage/schema.ts';
import type { TestUser } from './actors.ts';
import { ISSUER, type TestApp } from './app.ts';
import type { Answer } from './browser.ts';
import { testMacs } from './macs.ts';

export type RegisteredPasskey = {
  /** Of the row. */
  readonly id: string;
  /** The field `credential` for the challenge on this page. @param counter of the signature; default: 0, as synced passkeys have it. */
  readonly sign: (page: Answer, counter?: number, forged?: Forged) => string;
  readonly passkey: SoftwarePasskey;
};

export async function registeredPasskey(
  { database, clock }: Pick<TestApp, 'clock' | 'database'>,
  user: TestUser,
  issuer = ISSUER,
): Promise<RegisteredPasskey> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [id, credentialId] = [randomUUID(), randomBytes(16)];
  const row = { id, userId: user.id, credentialId, publicKey: coseKeyOf(publicKey) };
  await database.drizzle.insert(passkeys).values({
    ...row,
    mac: testMacs.macOf(...passkeyFacts({ ...row, macVersion: 0n })),
    state: 'active',
    name: 'the passkey of the test',
    counter: 0,
    backupEligible: false,
    transports: ['internal'],
    createdAt: clock.now(),
  });
  const { origin, hostname: rpId } = new URL(issuer);
  const userHandle = Buffer.from(user.id).toString('base64url');
  const passkey = { id: credentialId.toString('base64url'), rpId, userHandle, privateKey };
  return {
    id,
    sign: (page, counter = 0, forged = {}) => signWithPasskey(passkey, optionsOn(page.body), origin, counter, forged),
    passkey,
  };
}
