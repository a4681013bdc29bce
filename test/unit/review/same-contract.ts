/** The same commands to the store that the proof uses and to the one that serves, and what each answers. */

import fc from 'fast-check';
import type { GrantStore, HeadMove, Revocation } from '../../../src/lifecycles/grant/lifecycle.ts';
import * as memory from '../../../src/lifecycles/grant/walk/ports.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../../support/administration.ts';
import { type Granted, givenGrant, type Ports, registration } from '../storage/ports.ts';

export type Command =
  | { readonly kind: 'load' }
  /** Of what was loaded that many loads ago; its end lies that many seconds after the load. */
  | { readonly kind: 'move'; readonly ago: number; readonly endsIn: number }
  | { readonly kind: 'revoke' }
  | { readonly kind: 'disable' | 'enable' | 'deleteClient' | 'registerClient' | 'raiseServerEpoch' }
  | { readonly kind: 'pass'; readonly seconds: number };

const plain = (...kinds: Exclude<Command['kind'], 'move' | 'pass'>[]) => fc.record({ kind: fc.constantFrom(...kinds) });

/** Loads and moves mostly: every other command ends something for good. */
export const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: plain('load') },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('move' as const),
        ago: fc.integer({ min: 0, max: 2 }),
        endsIn: fc.constantFrom(0, 1, 2, 60),
      }),
    },
    { weight: 1, arbitrary: plain('revoke') },
    { weight: 3, arbitrary: plain('disable', 'enable', 'deleteClient', 'registerClient', 'raiseServerEpoch') },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 2) }) },
  ),
  { minLength: 1, maxLength: 14 },
) as fc.Arbitrary<readonly Command[]>;

type Seen = { readonly grant: Grant; readonly now: Date };

/** @returns the first difference, in words; null when both say the same all the way. */
export async function firstDifference(
  ports: Ports,
  store: GrantStore,
  all: readonly Command[],
): Promise<string | null> {
  const granted = await givenGrant(ports);
  const key = { clientId: granted.clientId, grantId: granted.grantId };
  const { grant, client } = await ports.grants.load(key);
  if (!grant || !client) throw new Error('no grant');
  let stored = begin(grant);
  const seen: Seen[] = [{ grant, now: ports.clock.now() }];
  for (const [index, command] of all.entries()) {
    const at = `${index + 1}. ${JSON.stringify(command)}`;
    const now = ports.clock.now();
    if (command.kind === 'load') {
      const real = (await store.load(key)).grant;
      const proved = memory.loadPresentation(stored, client, now).grant;
      if (!real || described(real) !== described(proved))
        return `${at}: ${real && described(real)} is not ${described(proved)}`;
      seen.unshift({ grant: real, now });
    } else if (command.kind === 'move') {
      const from = seen[command.ago] ?? seen[0];
      if (!from) throw new Error('nothing was loaded');
      const move = moveOf(from, command.endsIn, index);
      const after = memory.moveHead(stored, move, now);
      const real = await store.commit({ kind: 'moveHead', move });
      if (real !== (after !== null)) return `${at}: ${real ? 'moved' : 'did not move'}, unlike the other`;
      stored = after ?? stored;
    } else if (command.kind === 'revoke') {
      const revocation = revocationOf(key, now);
      const after = memory.revoke(stored, revocation);
      const real = await store.commit({ kind: 'revoke', revocation });
      if (real !== (after !== null)) return `${at}: ${real ? 'revoked' : 'did not revoke'}, unlike the other`;
      stored = after ?? stored;
    } else if (command.kind === 'pass') {
      ports.clock.advanceSeconds(command.seconds);
    } else {
      await HAPPENINGS[command.kind].really(ports, granted);
      stored = HAPPENINGS[command.kind].inMemory(stored);
    }
  }
  return null;
}

type Step = {
  readonly really: (ports: Ports, granted: Granted) => Promise<unknown>;
  readonly inMemory: (stored: memory.Authorization) => memory.Authorization;
};

const HAPPENINGS: Readonly<
  Record<'disable' | 'enable' | 'deleteClient' | 'registerClient' | 'raiseServerEpoch', Step>
> = {
  disable: {
    really: ({ db }, { person }) => disableUser(db, person.username),
    // A disabled user is not disabled again.
    inMemory: (stored) =>
      stored.user.isDisabled ? stored : { ...stored, user: { epoch: stored.user.epoch + 1n, isDisabled: true } },
  },
  enable: {
    really: ({ db }, { person }) => enableUser(db, person.username),
    inMemory: (stored) => ({ ...stored, user: { ...stored.user, isDisabled: false } }),
  },
  deleteClient: {
    really: ({ db }, { clientId }) => deleteClient(db, clientId),
    // A deleted user is not deleted again.
    inMemory: (stored) =>
      stored.client.isDeleted ? stored : { ...stored, client: { epoch: stored.client.epoch + 1n, isDeleted: true } },
  },
  registerClient: {
    really: ({ db }, { clientId }) => saveClient(db, registration(clientId)),
    inMemory: (stored) => ({ ...stored, client: { ...stored.client, isDeleted: false } }),
  },
  raiseServerEpoch: {
    really: ({ db }) => raiseServerEpoch(db),
    inMemory: (stored) => ({ ...stored, serverEpoch: stored.serverEpoch + 1n }),
  },
};

function begin({ liveClientEpoch, liveUserEpoch, liveServerEpoch, ...grant }: Grant): memory.Authorization {
  return {
    grant,
    client: { epoch: liveClientEpoch ?? 0n, isDeleted: false },
    user: { epoch: liveUserEpoch ?? 0n, isDisabled: false },
    serverEpoch: liveServerEpoch,
  };
}

function moveOf({ grant, now }: Seen, endsIn: number, serial: number): HeadMove {
  const generation = grant.refreshGeneration === null ? 0n : grant.refreshGeneration + 1n;
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  return {
    loaded: grant,
    now,
    generation,
    nonce: new Uint8Array(16).fill(serial + 1),
    chainEndsAt: after(3600),
    endsAt: after(endsIn),
    policy: 'default',
    entry: { machine: 'refreshToken', event: 'presented', from: 'active', to: 'used', reason: null, generation },
  };
}

function revocationOf({ clientId, grantId }: { clientId: string; grantId: string }, now: Date): Revocation {
  const reason = 'revocation_requested';
  const entry = {
    machine: 'grant',
    event: 'revocationRequested',
    from: 'active',
    to: 'revoked',
    reason,
    generation: null,
  };
  return { grantId, clientId, now, reason, policy: null, entries: [entry] };
}

/** All that a decision is made of. */
const described = (grant: Grant): string =>
  [
    grant.state,
    grant.revokedReason,
    grant.refreshGeneration,
    grant.refreshNonce && Buffer.from(grant.refreshNonce).toString('hex'),
    grant.lastUsedAt?.toISOString(),
    grant.chainEndsAt?.toISOString(),
    grant.liveClientEpoch,
    grant.liveUserEpoch,
    grant.liveServerEpoch,
  ].join();
