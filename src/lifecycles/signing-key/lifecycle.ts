/**
 * The signing keys. The "row" of a decision is the whole table. The decision that ends a signer also creates or starts its successor,
 * in the same statement. So one key of each algorithm that the policy names signs at any time.
 */

import type { SigningKeyContext, SigningKeyEvent } from '../../../machines/signing-key/facts.ts';
import { signingKeyMachine } from '../../../machines/signing-key/machine.ts';
import { type Commit, type CommitStore, insert, tableOf, update } from '../../engine/commit.ts';
import { InvariantViolation, Unavailable } from '../../engine/errors.ts';
import { type Lifecycle, type Step, send } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import type { Actor } from '../../model/actor.ts';
import type { LedgerEntry } from '../../model/ledger.ts';
import {
  type KeyLifetimes,
  keyTimes,
  type NewSigningKey,
  type SigningAlgorithm,
  type SigningKeyRow,
  signerAmong,
  signingKeyState,
  waitingKey,
} from '../../model/signing-key.ts';

export type SigningKeyTable = readonly SigningKeyRow[];

export type SigningKeyPolicyOfToday = {
  readonly algorithms: readonly SigningAlgorithm[];
  readonly lifetimes: KeyLifetimes;
};

export type SigningKeyFacts = {
  readonly now: Date;
  /** The key that the event is about. */
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly policy: SigningKeyPolicyOfToday;
  /** The operator does not want to wait for caches. */
  readonly atOnce: boolean;
  /** The administrator who asks; absent: time does. */
  readonly actor?: Actor | undefined;
  /** Created for this request and not stored yet; null: none was needed so far. */
  readonly fresh: NewSigningKey | null;
};

const SIGNING_KEYS = tableOf<SigningKeyRow & Partial<Pick<NewSigningKey, 'publicJwk'>>>('signingKeys');

export type LoadedSigningKeys = { readonly now: Date; readonly keys: SigningKeyTable };
export type SigningKeyStore = {
  /** Newest first. */
  readonly load: () => Promise<LoadedSigningKeys>;
  readonly commit: CommitStore;
};

/** The decision needs a key that does not exist yet. Creating a key is slow, so it happens only on demand. */
class FreshKeyNeeded extends Error {
  readonly alg: SigningAlgorithm;
  constructor(alg: SigningAlgorithm) {
    super('A key has to be created.');
    this.name = 'FreshKeyNeeded';
    this.alg = alg;
  }
}

const keyOf = (table: SigningKeyTable, { kid }: SigningKeyFacts): SigningKeyRow | undefined =>
  table.find((key) => key.kid === kid);

/** The key of the event, changed; its state follows from its instants. */
const changed = (table: SigningKeyTable, { kid }: SigningKeyFacts, change: Partial<SigningKeyRow>): SigningKeyTable =>
  table.map((key) => {
    if (key.kid !== kid) return key;
    const after = { ...key, ...change };
    return { ...after, state: signingKeyState(after) };
  });

const freshKey = ({ fresh, alg }: SigningKeyFacts): NewSigningKey => {
  if (fresh?.alg !== alg) throw new FreshKeyNeeded(alg);
  return fresh;
};

export const signingKeyLifecycle: Lifecycle<SigningKeyTable, SigningKeyFacts, Commit> = {
  machine: signingKeyMachine,
  stateOf: (table, facts) => keyOf(table, facts)?.state ?? 'unpublished',
  contextOf: (table, facts): SigningKeyContext => {
    const key = keyOf(table, facts);
    return key ? keyTimes(key, facts.policy.lifetimes) : NEVER;
  },
  answers: {},
  changes: {
    publish: (table, facts) => [createdRow(facts), ...table],
    beginSigning: (table, facts) => changed(table, facts, { beganSigningAt: facts.now }),
    hastenHandover: (table, facts) =>
      changed(table, facts, { rotationAskedAt: keyOf(table, facts)?.rotationAskedAt ?? facts.now }),
    stopSigning: (table, facts) => changed(table, facts, { stoppedSigningAt: facts.now, privateJwe: null }),
    retire: (table, facts, { reason }) =>
      changed(table, facts, { retiredAt: facts.now, retiredReason: reason, privateJwe: null }),
  },
  sends: {
    createSuccessor: (table, facts) => sendToKey(table, { ...facts, kid: freshKey(facts).kid }, 'successorNeeded'),
    startSuccessor: (table, facts) => {
      const successor = waitingKey(table, facts.alg);
      if (!successor) throw new InvariantViolation(`the signing key ${facts.kid} has no successor to start`);
      return sendToKey(table, { ...facts, kid: successor.kid }, 'signerStopped');
    },
  },
  violation: wrongSigners,
  ledgerFacts: (_, { kid, actor }) => ({ signingKeyId: kid, ...(actor && { actor }) }),
  commitOf: ({ before, after, entries }, { now, fresh }) => {
    const stored = new Map(before.map((key) => [key.kid, key]));
    const created = after.find(({ kid }) => !stored.has(kid));
    if (created && created.kid !== fresh?.kid)
      throw new InvariantViolation('signingKey: an unknown key appeared in the table');
    const moved = inOrderOfLife(after).flatMap((key) => {
      const loaded = stored.get(key.kid);
      if (loaded === undefined || loaded === key) return [];
      return [update(SIGNING_KEYS, loaded, key, ['state'], { key: 'kid', unlike: oneIn(key) })];
    });
    const added =
      created && fresh ? [insert(SIGNING_KEYS, { ...fresh, ...created }, [{ kid: fresh.kid }, ...oneIn(created)])] : [];
    const writes = [...moved, ...added] as unknown as Commit['writes'];
    return { now, inTurn: { table: SIGNING_KEYS.name, key: 'every' }, requires: [], writes, entries };
  },
};

/** The key that signs stops before the next one begins: a cluster holds each write by itself to the rule of one signer. */
const inOrderOfLife = (table: SigningKeyTable): SigningKeyTable =>
  table.toSorted((one, other) => LIFE.indexOf(one.state) - LIFE.indexOf(other.state));

const LIFE: readonly SigningKeyRow['state'][] = ['retired', 'retiring', 'signing', 'published'];

/** Of each algorithm, one key signs and one waits. */
const oneIn = ({ alg, state }: SigningKeyRow) => (state === 'signing' || state === 'published' ? [{ alg, state }] : []);

const NEVER: SigningKeyContext = {
  successorDueAt: Number.POSITIVE_INFINITY,
  signsUntil: Number.POSITIVE_INFINITY,
  publishedUntil: Number.POSITIVE_INFINITY,
};

function createdRow(facts: SigningKeyFacts): SigningKeyRow {
  const { now, alg, policy } = facts;
  return {
    kid: freshKey(facts).kid,
    alg,
    state: 'published',
    createdAt: now,
    maySignAt: new Date(now.getTime() + policy.lifetimes.publishedBeforeSigningSeconds * 1000),
    beganSigningAt: null,
    rotationAskedAt: null,
    stoppedSigningAt: null,
    retiredAt: null,
    retiredReason: null,
    privateJwe: freshKey(facts).privateJwe,
  };
}

/** With the facts about the algorithm in this table. */
const eventFor = (table: SigningKeyTable, facts: SigningKeyFacts, type: SigningKeyEvent['type']): SigningKeyEvent => {
  const { now, alg, policy, atOnce } = facts;
  const waiting = waitingKey(table, alg);
  return {
    type,
    now: now.getTime(),
    signer: signerAmong(table, alg)?.kid ?? null,
    successor: waiting ? { maySignAt: waiting.maySignAt.getTime() } : null,
    algorithmIsWanted: policy.algorithms.includes(alg),
    atOnce,
  };
};

const sendToKey = (table: SigningKeyTable, facts: SigningKeyFacts, type: SigningKeyEvent['type']) =>
  send(signingKeyLifecycle, facts, eventFor(table, facts, type));

/** An algorithm never has two signers, and is left without a signer only when the policy no longer names it. */
function wrongSigners({ before, after }: Step<SigningKeyTable>, facts: SigningKeyFacts): string | null {
  const { alg, policy } = facts;
  const signers = after.filter((key) => key.alg === alg && key.state === 'signing').length;
  const mayBeNone = !signerAmong(before, alg) || !policy.algorithms.includes(alg);
  return signers > 1 || (signers === 0 && !mayBeNone) ? `${signers} keys would sign with ${alg}` : null;
}

/** A committed change of a key, for log and command line: its line of the ledger. */
export type KeyChange = LedgerEntry & { readonly kid: string; readonly alg: SigningAlgorithm };

export type SigningKeyDeps = {
  readonly policy: () => SigningKeyPolicyOfToday;
};

type KeyEvent = {
  readonly type: SigningKeyEvent['type'];
  readonly alg: SigningAlgorithm;
  readonly atOnce: boolean;
  /** Null: the fresh key. */
  readonly kid: string | null;
  /** Absent: time. */
  readonly actor?: Actor;
};

/** The answer: the changes. */
export function signingKeyRequest(
  { policy }: SigningKeyDeps,
  { type, alg, atOnce, kid, actor }: KeyEvent,
  fresh: NewSigningKey | null,
): Request<LoadedSigningKeys, SigningKeyTable, SigningKeyFacts, Commit, readonly KeyChange[]> {
  return {
    lifecycle: signingKeyLifecycle,
    read: ({ now, keys }) => {
      requireDerivedStates(keys);
      const facts = { now, alg, atOnce, fresh, actor, policy: policy(), kid: kid ?? fresh?.kid ?? '' };
      return { row: keys, facts, event: eventFor(keys, facts, type) };
    },
    answer: ({ entries }) => entries.map((entry) => ({ ...entry, kid: entry.signingKeyId ?? '', alg })),
  };
}

function requireDerivedStates(keys: SigningKeyTable): void {
  for (const key of keys) {
    if (key.state !== signingKeyState(key))
      throw new InvariantViolation(
        `signing key ${key.kid} is stored as ${key.state}, but its instants say ${signingKeyState(key)}`,
      );
  }
}

export type SigningKeyPorts = SigningKeyDeps &
  Sleeping & {
    readonly store: SigningKeyStore;
    readonly createKey: (alg: SigningAlgorithm) => Promise<NewSigningKey>;
  };

async function ask(ports: SigningKeyPorts, event: KeyEvent, first?: LoadedSigningKeys): Promise<readonly KeyChange[]> {
  let fresh: NewSigningKey | null = null;
  for (;;) {
    try {
      return await run(
        { ...ports.store, sleep: ports.sleep },
        signingKeyRequest(ports, event, fresh),
        fresh === null ? first : undefined,
      );
    } catch (error) {
      if (!(error instanceof FreshKeyNeeded)) throw error;
      fresh = await ports.createKey(error.alg);
    }
  }
}

/** Far more than the steps that are ever due together. */
const MAX_STEPS = 100;

/**
 * One tick: creates the first key of each algorithm, and takes every other due step.
 * @throws Unavailable when conflicts do not end or the store cannot be reached; the next tick continues.
 */
export async function passTime(ports: SigningKeyPorts): Promise<readonly KeyChange[]> {
  const all: KeyChange[] = [];
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const changes = await nextChange(ports);
    if (changes.length === 0) return all;
    all.push(...changes);
  }
  throw new Unavailable('too_many_conflicts');
}

async function nextChange(ports: SigningKeyPorts): Promise<readonly KeyChange[]> {
  const loaded = await ports.store.load();
  for (const event of eventsOfTime(ports, loaded)) {
    const changes = await ask(ports, event, loaded);
    if (changes.length > 0) return changes;
  }
  return [];
}

/** A fresh key for each wanted algorithm without a signer or a waiting key, and the passing of time for each stored key. */
export function eventsOfTime({ policy }: SigningKeyDeps, { keys }: LoadedSigningKeys): readonly KeyEvent[] {
  const withoutKey = policy().algorithms.filter((alg) => !signerAmong(keys, alg) && !waitingKey(keys, alg));
  return [
    ...withoutKey.map((alg): KeyEvent => ({ type: 'noKeySigns', alg, kid: null, atOnce: false })),
    ...keys.map(({ kid, alg }): KeyEvent => ({ type: 'timePassed', alg, kid, atOnce: false })),
  ];
}

/** @param atOnce the successor signs now, even if no cache holds it yet. @returns the changes; empty when a successor waits already. */
export async function requestRotation(
  ports: SigningKeyPorts,
  alg: SigningAlgorithm,
  atOnce: boolean,
  actor: Actor,
): Promise<readonly KeyChange[]> {
  const loaded = await ports.store.load();
  const signer = signerAmong(loaded.keys, alg);
  if (signer) return ask(ports, { type: 'rotationRequested', alg, kid: signer.kid, atOnce, actor }, loaded);
  // No key signs yet, so no handover is needed: the waiting key begins, or the server creates a first key.
  const waiting = waitingKey(loaded.keys, alg);
  return waiting
    ? ask(ports, { type: 'timePassed', alg, kid: waiting.kid, atOnce: false, actor }, loaded)
    : ask(ports, { type: 'noKeySigns', alg, kid: null, atOnce: false, actor }, loaded);
}

/** @returns the changes; empty when the key had retired already; null: the key is not found. */
export async function requestRevocation(
  ports: SigningKeyPorts,
  kid: string,
  actor: Actor,
): Promise<readonly KeyChange[] | null> {
  const loaded = await ports.store.load();
  const key = loaded.keys.find((stored) => stored.kid === kid);
  return key ? ask(ports, { type: 'revocationRequested', alg: key.alg, kid, atOnce: true, actor }, loaded) : null;
}
