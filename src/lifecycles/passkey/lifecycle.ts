/** A passkey of an end-user: its registration, each signature of it, its name and its removal. */

import type { PasskeyContext, PasskeyEvent } from '../../../machines/passkey/facts.ts';
import { passkeyMachine } from '../../../machines/passkey/machine.ts';
import type { WaysToSignIn } from '../../../machines/shared/facts.ts';
import {
  type Commit,
  type CommitStore,
  insert,
  type Requirement,
  rowsOf,
  update,
  type Write,
} from '../../engine/commit.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, runFound, type Sleeping } from '../../engine/run.ts';
import type { Actor } from '../../model/actor.ts';
import type { Bytes } from '../../model/grant.ts';
import { endUserOf } from '../../model/user.ts';
import { anotherWay, type OtherFactors, ofUser, otherFactors } from '../other-factors.ts';
import type { FactorSurroundings } from '../second-factor/entity.ts';
import { type FactorAnswer, factorAnswer } from '../second-factor/lifecycle.ts';
import { USERS } from '../user/entity.ts';
import { MAX_PASSKEYS, PASSKEYS, type Passkey } from './entity.ts';

export type PasskeyFacts = FactorSurroundings & {
  /** The end-user's ways to sign in without it. */
  readonly otherWays: WaysToSignIn;
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

export type LoadedPasskey = FactorSurroundings &
  Pick<PasskeyFacts, 'otherWays'> & {
    readonly now: Date;
    readonly passkey: Passkey;
    /** Of its end-user. Absent: not loaded. */
    readonly userEpoch?: bigint;
  };

export type PasskeyKey =
  | { readonly userId: string; readonly id: string }
  /** As the browser sends it; the end-user is found by it. */
  | { readonly credentialId: Bytes };

export type PasskeyStore = {
  /** Null: not found. */
  readonly load: (key: PasskeyKey) => Promise<LoadedPasskey | null>;
  /** Of a passkey that is about to be registered; as it was registered, where its credential is there already. */
  readonly loadNew: (passkey: NewPasskey) => Promise<LoadedPasskey>;
  readonly commit: CommitStore;
};

export type NewPasskey = Pick<
  Passkey,
  'id' | 'userId' | 'name' | 'credentialId' | 'counter' | 'backupEligible' | 'transports'
> & {
  readonly publicKey: Bytes;
  /** Of a passkey that another system registered. Absent: now. */
  readonly createdAt?: Date;
};

/** As its machine begins. */
export const unregistered = (passkey: NewPasskey, now: Date): Passkey => ({
  ...passkey,
  state: 'unregistered',
  createdAt: passkey.createdAt ?? now,
  lastUsedAt: null,
  removedAt: null,
});

function othersFor(
  from: Passkey['state'],
  to: Passkey['state'],
  { isDemanded, byPasswordAlone }: Pick<PasskeyFacts, 'isDemanded' | 'byPasswordAlone'>,
): OtherFactors {
  if (from === 'unregistered') return byPasswordAlone ? 'none' : 'any';
  return to === 'removed' && isDemanded ? 'some' : 'any';
}

export const passkeyLifecycle: Lifecycle<Passkey, PasskeyFacts, Commit> = {
  machine: passkeyMachine,
  stateOf: ({ state }) => state,
  contextOf: ({ counter }, { isDemanded, hasAnother, otherWays, user }): PasskeyContext => ({
    counter,
    isDemanded,
    hasAnother,
    otherWays,
    user: endUserOf(user),
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
  notAudited: ['recordSignature', 'renamePasskey'],
  ledgerFacts: ({ userId }, { actor }) => ({ userId, ...(actor && { actor }) }),
  commitOf: ({ before, after }, { now, isDemanded, byPasswordAlone, actor }, entries) => {
    const others = othersFor(before.state, after.state, { isDemanded: isDemanded && !actor, byPasswordAlone });
    const isNew = before.state === 'unregistered';
    const needsAnotherWay = before.state === 'active' && after.state === 'removed' && !actor;
    return {
      now,
      // Passkeys that are registered at the same moment are counted one after the other.
      ...((others !== 'any' || needsAnotherWay || isNew) && { inTurn: ofUser(before) }),
      requires: [
        ...otherFactors(others, before),
        ...(needsAnotherWay ? [anotherWay(before)] : []),
        ...(isNew ? roomFor(after) : []),
      ],
      writes: [isNew ? passkeyWrite(after) : update(PASSKEYS, before, after, ['state', 'counter'])],
      entries,
    };
  },
};

/** A passkey that was registered just now. */
export const passkeyWrite = (passkey: Passkey): Write =>
  insert(PASSKEYS, passkey, [{ credentialId: passkey.credentialId }]);

/** A registration: the end-user is enabled, and has fewer passkeys than there may be. */
const roomFor = ({ userId }: Passkey): readonly Requirement[] => [
  {
    that: 'the end-user is enabled',
    rows: [rowsOf(USERS, { id: userId, disabledAt: null })],
    are: 'some',
  },
  {
    that: 'there is room for a passkey',
    rows: [rowsOf(PASSKEYS, { userId, state: 'active' })],
    are: { fewerThan: MAX_PASSKEYS },
  },
];

export type PasskeyAsked = {
  readonly type: PasskeyEvent['type'];
  /** Of the signature that was sent, under the passkey as it was found. */
  readonly counter?: number | null;
  readonly name?: string;
  readonly isDemanded?: boolean;
  readonly byPasswordAlone?: boolean;
  readonly actor?: Actor | undefined;
};

const eventOf = (type: PasskeyEvent['type'], counter: number | null, byPasswordAlone: boolean): PasskeyEvent => {
  if (type === 'presented') return { type, counter };
  return type === 'registered' || type === 'removalRequested' ? { type, byPasswordAlone } : { type };
};

export const passkeyRequest = ({
  type,
  counter = null,
  name,
  isDemanded = false,
  byPasswordAlone = false,
  actor,
}: PasskeyAsked): Request<LoadedPasskey, Passkey, PasskeyFacts, Commit, FactorAnswer> => ({
  lifecycle: passkeyLifecycle,
  read: ({ now, passkey, user, hasAnother, otherWays }) => ({
    row: passkey,
    facts: {
      now,
      user,
      hasAnother,
      otherWays,
      isDemanded,
      counter,
      name: name ?? null,
      byPasswordAlone,
      actor,
    },
    event: eventOf(type, counter, byPasswordAlone),
  }),
  answer: factorAnswer,
});

export const passkeyRegistration = (
  passkey: Pick<NewPasskey, 'id'>,
  byPasswordAlone: boolean,
  actor?: Actor,
): ReturnType<typeof passkeyRequest> => ({
  ...passkeyRequest({ type: 'registered', byPasswordAlone, actor }),
  // After a lost answer: it is there, under the id that this request drew.
  isIn: ({ passkey: { id, state } }) => id === passkey.id && state === 'active',
});

export type PasskeyPorts = Sleeping & {
  readonly passkeys: Pick<PasskeyStore, 'load' | 'commit'>;
};

/** @param loaded absent: it is loaded. @returns null: the passkey is not found. @throws Unavailable, StoreUnavailable */
export const askPasskey = (
  { passkeys, sleep }: PasskeyPorts,
  key: PasskeyKey,
  asked: PasskeyAsked,
  loaded?: LoadedPasskey,
): Promise<FactorAnswer | null> =>
  runFound({ load: () => passkeys.load(key), commit: passkeys.commit, sleep }, passkeyRequest(asked), loaded);

/** @param actor of the request, where it is not the end-user. @throws Unavailable, StoreUnavailable */
export const registerPasskey = (
  { passkeys, sleep }: Pick<PasskeyPorts, 'sleep'> & { readonly passkeys: Pick<PasskeyStore, 'loadNew' | 'commit'> },
  passkey: NewPasskey,
  byPasswordAlone: boolean,
  actor?: Actor,
): Promise<FactorAnswer> =>
  run(
    { load: () => passkeys.loadNew(passkey), commit: passkeys.commit, sleep },
    passkeyRegistration(passkey, byPasswordAlone, actor),
  );
