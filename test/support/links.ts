/** Links in mails without the mails: asked for and pressed by the use cases' own requests, on a test database. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sha256 } from '../../src/crypto/digest.ts';
import { rowMacs } from '../../src/crypto/row-mac.ts';
import { storedPasswordHash } from '../../src/crypto/secret-types.ts';
import {
  type LinkRejected,
  type LinkUse,
  type LinkUsed,
  sendLink,
  useLink,
} from '../../src/lifecycles/email-challenge/lifecycle.ts';
import { emailChallengeStore } from '../../src/storage/email-challenges.ts';
import type { Clock } from '../../src/system/clock.ts';
import type { TestApp } from './app.ts';
import { testKeys } from './macs.ts';

export const LIFETIME_SECONDS = 1800;
export type LinkPurpose = 'reset_password' | 'verify_address' | 'sign_up' | 'lost_factors';
export type SentLink = { readonly id: string; readonly purpose: LinkPurpose; readonly secretHash: Buffer };

export type LinkPorts = {
  /** @param userId null: no user has an account yet. */
  readonly ask: (purpose: LinkPurpose, userId: string | null, address: string) => Promise<SentLink>;
  /** In a browser in which the password was typed. */
  readonly press: (link: SentLink) => Promise<LinkUsed | LinkRejected>;
};

/** As one node has it. */
export function linkPorts({
  database,
  clock,
  keys = testKeys,
}: Pick<TestApp, 'database'> & Partial<Pick<TestApp, 'keys'>> & { readonly clock: Clock }): LinkPorts {
  const ports = {
    challenges: emailChallengeStore(database.drizzle, clock, rowMacs(keys)),
    isOffered: () => true,
    sleep: async () => {},
  };
  return {
    ask: async (purpose, userId, address) => {
      const link = { id: randomUUID(), purpose, secretHash: sha256(randomBytes(32).toString('base64url')) };
      const fresh = { ...link, userId, address, resumption: null, lifetimeSeconds: LIFETIME_SECONDS };
      const outcome = await sendLink(ports, fresh, { passwordIsProven: true });
      if (outcome.kind !== 'sent') throw new Error(`not sent: ${outcome.reason}`);
      return link;
    },
    press: ({ purpose, secretHash }) => useLink(ports, secretHash, useOf(purpose), null, { passwordIsProven: true }),
  };
}

function useOf(purpose: LinkPurpose): LinkUse {
  const passwordHash = storedPasswordHash(`a hash ${randomUUID()}`);
  if (purpose === 'reset_password') return { kind: 'password', passwordHash };
  if (purpose !== 'sign_up') return { kind: 'press' };
  return {
    kind: 'account',
    id: randomUUID(),
    registration: { username: randomUUID(), passwordHash, claims: {} },
    passkey: null,
  };
}
