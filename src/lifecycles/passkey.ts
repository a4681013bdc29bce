/** A passkey of an end-user: its registration, each signature of it, its name and its removal. */
import { passkeyMachine } from '../../machines/passkey.machine.ts';
import type { PasskeyContext, PasskeyEvent } from '../../machines/vocabulary.ts';
import { InvariantViolation } from '../engine/errors.ts';
import type { Lifecycle } from '../engine/lifecycle.ts';
import { type Request, run } from '../engine/run.ts';
import type { Actor } from '../model/actor.ts';
import type { FactorSurroundings, Passkey } from '../model/factors.ts';
import type { Bytes } from '../model/grant.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import { type FactorAnswer, factorAnswer } from './second-factor.ts';

export type PasskeyFacts = FactorSurroundings & {
  /** Whether the end-user can sign in without it. */
  readonly hasAnotherWay: boolean;
  /** Whether the end-user has as many active passkeys as there may be; false of a passkey that is registered already. */
  readonly isFull: boolean;
  readonly now: Date;
  /** The policy demands a second factor of this end-user. */
  readonly isDemanded: boolean;
  /** Of a signature that was verified; null: none was sent, or it is not of this passkey. */
  readonly counter: number | null;
  /** The name that was sent. */
  readonly name: string | null;
  readonly byPasswordAlone: boolean;
  readonly actor?: Actor | undefined;
};

/**
 * One guarded statement about one row. A registration inserts it, once, while the end-user is enabled and has fewer passkeys than there
 * may be; anything else commits while state and counter are as loaded; a removal under a policy that demands a factor, only while there
 * is another; a factor that is added by a password alone, only while there is no other.
 */
export type PasskeyCommit = {
  readonly loaded: Passkey;
  readonly after: Passkey;
  readonly now: Date;
  readonly others: 'any' | 'some' | 'none';
  /** A removal by the end-user commits only while they can sign in without it. */
  readonly needsAnotherWay: boolean;
  /** Null: a signature was accepted, or the name changed. */
  readonly entry: LedgerEntry | null;
};

export type LoadedPasskey = FactorSurroundings &
  Pick<PasskeyFacts, 'hasAnotherWay' | 'isFull'> & { readonly now: Date; readonly passkey: Passkey };

export type PasskeyKey =
  | { readonly userId: string; readonly id: string }
  /** As the browser sends it; the end-user is found by it. */
  | { readonly credentialId: Bytes };

export type PasskeyStore = {
  /** Null: there is no such passkey. */
  readonly load: (key: PasskeyKey) => Promise<LoadedPasskey | null>;
  /** Of a passkey that is about to be registered; as it was registered, where its credential is there already. */
  readonly loadNew: (passkey: NewPasskey) => Promise<LoadedPasskey>;
  readonly commit: (commit: PasskeyCommit) => Promise<boolean>;
};

export type NewPasskey = Pick<
  Passkey,
  'id' | 'userId' | 'name' | 'credentialId' | 'counter' | 'backupEligible' | 'transports'
> & { readonly publicKey: Bytes };

/** As its machine begins. */
export const unregistered = (passkey: NewPasskey, now: Date): Passkey => ({
  ...passkey,
  state: 'unregistered',
  createdAt: now,
  lastUsedAt: null,
  removedAt: null,
});

function othersFor(
  from: Passkey['state'],
  to: Passkey['state'],
  { isDemanded, byPasswordAlone }: Pick<PasskeyFacts, 'isDemanded' | 'byPasswordAlone'>,
): PasskeyCommit['others'] {
  if (from === 'unregistered') return byPasswordAlone ? 'none' : 'any';
  return to === 'removed' && isDemanded ? 'some' : 'any';
}

export const passkeyLifecycle: Lifecycle<Passkey, PasskeyFacts, PasskeyCommit> = {
  machine: passkeyMachine,
  stateOf: ({ state }) => state,
  contextOf: ({ counter }, { isDemanded, hasAnother, hasAnotherWay, isFull, userEnded }): PasskeyContext => ({
    counter,
    isDemanded: isDemanded && !hasAnother,
    hasAnother,
    isLastWay: !hasAnotherWay,
    isFull,
    userEnded,
  }),
  answers: { registered: ['accept', 'reject'], presented: ['accept', 'reject'] },
  changes: {
    registerPasskey: (passkey) => ({ ...passkey, state: 'active' }),
    recordSignature: (passkey, { now, counter }) => ({
      ...passkey,
      counter: counter ?? passkey.counter,
      lastUsedAt: now,
    }),
    renamePasskey: (passkey, { name }) => ({ ...passkey, name: name ?? passkey.name }),
    removeFactor: (passkey, { now }) => ({ ...passkey, state: 'removed', publicKey: null, removedAt: now }),
  },
  unrecorded: ['recordSignature', 'renamePasskey'],
  ledgerFacts: ({ userId }, { actor }) => ({ userId, ...(actor && { actor }) }),
  commitOf: ({ before, after }, { now, isDemanded, byPasswordAlone, actor }, [entry]) => ({
    loaded: before,
    after,
    now,
    others: othersFor(before.state, after.state, { isDemanded: isDemanded && !actor, byPasswordAlone }),
    needsAnotherWay: before.state === 'active' && after.state === 'removed' && !actor,
    entry: entry ?? null,
  }),
};

export type PasskeyAsked = {
  readonly type: PasskeyEvent['type'];
  /** Of the signature that was sent, under the passkey as it was found. */
  readonly counter?: number | null;
  readonly name?: string;
  readonly isDemanded?: boolean;
  readonly byPasswordAlone?: boolean;
  readonly actor?: Actor | undefined;
};

export const passkeyRequest = ({
  type,
  counter = null,
  name,
  isDemanded = false,
  byPasswordAlone = false,
  actor,
}: PasskeyAsked): Request<LoadedPasskey, Passkey, PasskeyFacts, PasskeyCommit, FactorAnswer> => ({
  lifecycle: passkeyLifecycle,
  read: ({ now, passkey, userEnded, hasAnother, hasAnotherWay, isFull }) => ({
    row: passkey,
    facts: {
      now,
      userEnded,
      hasAnother,
      hasAnotherWay,
      isFull,
      isDemanded,
      counter,
      name: name ?? null,
      byPasswordAlone,
      actor,
    },
    event: { type, counter, byPasswordAlone } as PasskeyEvent,
  }),
  answer: factorAnswer,
});

export const passkeyRegistration = (
  passkey: Pick<NewPasskey, 'id'>,
  byPasswordAlone: boolean,
): ReturnType<typeof passkeyRequest> => ({
  ...passkeyRequest({ type: 'registered', byPasswordAlone }),
  // After a lost answer: it is there, under the id that this request drew.
  isIn: ({ passkey: { id, state } }) => id === passkey.id && state === 'active',
});

export type PasskeyWorld = {
  readonly passkeys: Pick<PasskeyStore, 'load' | 'commit'>;
  /** Milliseconds; waits between reloads after a lost commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** @param loaded absent: it is loaded. @returns null: there is no such passkey. @throws Unavailable, StoreUnavailable */
export async function askPasskey(
  { passkeys, sleep }: PasskeyWorld,
  key: PasskeyKey,
  asked: PasskeyAsked,
  loaded?: LoadedPasskey,
): Promise<FactorAnswer | null> {
  const first = loaded ?? (await passkeys.load(key));
  if (first === null) return null;
  const load = async () => {
    const again = await passkeys.load(key);
    if (again === null) throw new InvariantViolation('a passkey vanished between load and reload');
    return again;
  };
  return run({ load, commit: passkeys.commit, sleep }, passkeyRequest(asked), first);
}

/** @throws Unavailable, StoreUnavailable */
export const registerPasskey = (
  { passkeys, sleep }: Pick<PasskeyWorld, 'sleep'> & { readonly passkeys: Pick<PasskeyStore, 'loadNew' | 'commit'> },
  passkey: NewPasskey,
  byPasswordAlone: boolean,
): Promise<FactorAnswer> =>
  run(
    { load: () => passkeys.loadNew(passkey), commit: passkeys.commit, sleep },
    passkeyRegistration(passkey, byPasswordAlone),
  );
