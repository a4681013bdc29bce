/** A browser that an end-user trusts: after the right password, its secret stands in for the second factor. */

import type {
  TrustedBrowserContext,
  TrustedBrowserEvent,
  TrustedBrowserRejectReason,
} from '../../../machines/trusted-browser/facts.ts';
import { trustedBrowserMachine } from '../../../machines/trusted-browser/machine.ts';
import { type Commit, type CommitStore, insert, type Requirement, rowsOf, update } from '../../engine/commit.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, runFound, type Sleeping } from '../../engine/run.ts';
import type { Actor } from '../../model/actor.ts';
import type { Bytes } from '../../model/grant.ts';
import { PASSKEYS } from '../passkey/entity.ts';
import { SECOND_FACTORS } from '../second-factor/entity.ts';
import { type FactorAnswer, factorAnswer } from '../second-factor/lifecycle.ts';
import { USERS } from '../user/entity.ts';
import {
  type StoredTrustedBrowser,
  TRUSTED_BROWSERS,
  type TrustedBrowser,
  trustEndedBy,
  trustEndsAt,
} from './entity.ts';

type LoadedFacts = {
  readonly now: Date;
  /** The factor that was proven is an active passkey or authenticator app of the end-user. */
  readonly factorStands: boolean;
};
export type TrustedBrowserFacts = LoadedFacts & {
  /** Of the policy; 0: it offers no trust. */
  readonly lifetimeSeconds: number;
  readonly actor?: Actor | undefined;
};

export type LoadedTrustedBrowser = LoadedFacts & { readonly browser: TrustedBrowser };

/** The epochs are those of the session in which the factor was proven. */
export type NewTrustedBrowser = Pick<
  StoredTrustedBrowser,
  'id' | 'userId' | 'userEpoch' | 'serverEpoch' | 'factorId' | 'userAgent'
> & { readonly secretHash: Bytes };

export type TrustedBrowserStore = {
  /** @param hashes of the secrets that the browser sent. Null: none of them is an active one of this end-user. */
  readonly find: (userId: string, hashes: readonly Bytes[]) => Promise<LoadedTrustedBrowser | null>;
  /** Null: not one of this end-user. */
  readonly load: (userId: string, id: string) => Promise<LoadedTrustedBrowser | null>;
  /** The facts for one that is about to begin. Null: the end-user is not found. */
  readonly loadNew: (
    browser: NewTrustedBrowser,
  ) => Promise<(LoadedFacts & Pick<TrustedBrowser, 'liveUserEpoch' | 'liveServerEpoch'>) | null>;
  /** Those that neither a decision nor an epoch has ended; newest first. */
  readonly list: (userId: string) => Promise<readonly LoadedTrustedBrowser[]>;
  readonly commit: CommitStore;
};

/** The factor is active, and the end-user has had no new password, at the commit. */
const whatItReliesOn = ({ userId, factorId, userEpoch }: StoredTrustedBrowser): readonly Requirement[] => [
  {
    that: 'the factor that was proven is active',
    rows: [
      rowsOf(SECOND_FACTORS, { id: factorId, userId, state: 'active' }),
      rowsOf(PASSKEYS, { id: factorId, userId, state: 'active' }),
    ],
    are: 'some',
    locked: true,
  },
  {
    that: 'the end-user is enabled, with the same password',
    rows: [rowsOf(USERS, { id: userId, epoch: userEpoch, disabledAt: null })],
    are: 'some',
    locked: true,
  },
];

const storedOf = ({ liveUserEpoch: _, liveServerEpoch: __, ...stored }: TrustedBrowser): StoredTrustedBrowser => stored;

export const trustedBrowserLifecycle: Lifecycle<TrustedBrowser, TrustedBrowserFacts, Commit> = {
  machine: trustedBrowserMachine,
  stateOf: (browser) => (trustEndedBy(browser) === null ? browser.state : 'ended'),
  contextOf: (browser, { lifetimeSeconds, factorStands }): TrustedBrowserContext => ({
    endsAt: trustEndsAt(browser, lifetimeSeconds),
    factorStands,
    endedBy: trustEndedBy(browser),
  }),
  answers: { factorProven: ['accept', 'reject'], presented: ['accept', 'reject'] },
  changes: {
    trustBrowser: (browser) => ({ ...browser, state: 'active' }),
    skipFactor: (browser, { now }) => ({ ...browser, lastUsedAt: now }),
    endTrust: (browser, { now }) => ({ ...browser, state: 'ended', secretHash: null, endedAt: now }),
    // Once the epoch is raised, every row is read with the new value.
    raiseEpoch: (browser, _, { of }) =>
      of === 'user'
        ? { ...browser, liveUserEpoch: (browser.liveUserEpoch ?? 0n) + 1n }
        : { ...browser, liveServerEpoch: browser.liveServerEpoch + 1n },
  },
  ledgerFacts: ({ userId }, { actor }) => ({ userId, ...(actor && { actor }) }),
  commitOf: ({ before, after }, { now }, entries) => ({
    now,
    requires: after.state === 'active' ? whatItReliesOn(after) : [],
    writes: [
      before.state === 'requested'
        ? insert(TRUSTED_BROWSERS, storedOf(after), [{ id: after.id }])
        : update(TRUSTED_BROWSERS, storedOf(before), storedOf(after), ['state']),
    ],
    entries,
  }),
};

type Answer = FactorAnswer<TrustedBrowserRejectReason>;
type AboutTrust = Request<LoadedTrustedBrowser, TrustedBrowser, TrustedBrowserFacts, Commit, Answer>;

export type TrustedBrowserAsked = {
  readonly type: TrustedBrowserEvent['type'];
  /** Of the policy; absent: the event depends on no time. */
  readonly lifetimeSeconds?: number;
  readonly proofIsDemanded?: boolean;
  readonly actor?: Actor | undefined;
};

const eventOf = (type: TrustedBrowserEvent['type'], now: Date, proofIsDemanded: boolean): TrustedBrowserEvent =>
  type === 'factorProven' || type === 'presented' ? { type, now: now.getTime(), proofIsDemanded } : { type };

export const trustedBrowserRequest = ({
  type,
  lifetimeSeconds = 0,
  proofIsDemanded = false,
  actor,
}: TrustedBrowserAsked): AboutTrust => ({
  lifecycle: trustedBrowserLifecycle,
  read: ({ now, browser, factorStands }) => ({
    row: browser,
    facts: { now, factorStands, lifetimeSeconds, actor },
    event: eventOf(type, now, proofIsDemanded),
  }),
  answer: factorAnswer,
});

/** As its machine begins. */
export const requestedTrust = (
  browser: NewTrustedBrowser,
  loaded: NonNullable<Awaited<ReturnType<TrustedBrowserStore['loadNew']>>>,
  lifetimeSeconds: number,
): LoadedTrustedBrowser => {
  const { now, factorStands, ...live } = loaded;
  const endsAt = new Date(now.getTime() + lifetimeSeconds * 1000);
  const times = { createdAt: now, endsAt, lastUsedAt: null, endedAt: null };
  return { now, factorStands, browser: { ...browser, ...live, ...times, state: 'requested' } };
};

/** The end-user has proven a factor, and asked to trust the browser. */
export const trustRequest = (
  { id }: Pick<NewTrustedBrowser, 'id'>,
  asked: Required<Pick<TrustedBrowserAsked, 'lifetimeSeconds' | 'proofIsDemanded'>>,
): AboutTrust => ({
  ...trustedBrowserRequest({ type: 'factorProven', ...asked }),
  // After a lost answer: no other request drew this id.
  isIn: ({ browser }) => browser.id === id && browser.state === 'active',
});

/** @returns null: it stands in for no factor. */
export function trustStandsUntil(
  { now, factorStands, browser }: LoadedTrustedBrowser,
  lifetimeSeconds: number,
): Date | null {
  const endsAt = new Date(trustEndsAt(browser, lifetimeSeconds));
  return factorStands && trustEndedBy(browser) === null && now < endsAt ? endsAt : null;
}

export type TrustedBrowserPorts = Sleeping & { readonly trustedBrowsers: TrustedBrowserStore };

/** @param loaded absent: it is loaded. @returns null: not one of this end-user. @throws Unavailable, StoreUnavailable */
export const askTrustedBrowser = (
  { trustedBrowsers, sleep }: TrustedBrowserPorts,
  { userId, id }: Pick<StoredTrustedBrowser, 'userId' | 'id'>,
  asked: TrustedBrowserAsked,
  loaded?: LoadedTrustedBrowser,
): Promise<Answer | null> =>
  runFound(
    { load: () => trustedBrowsers.load(userId, id), commit: trustedBrowsers.commit, sleep },
    trustedBrowserRequest(asked),
    loaded,
  );

/** @returns null: the end-user is not found. @throws Unavailable, StoreUnavailable */
export async function beginTrust(
  { trustedBrowsers, sleep }: TrustedBrowserPorts,
  browser: NewTrustedBrowser,
  asked: Required<Pick<TrustedBrowserAsked, 'lifetimeSeconds' | 'proofIsDemanded'>>,
): Promise<Answer | null> {
  const load = async (): Promise<LoadedTrustedBrowser | null> => {
    const stored = await trustedBrowsers.load(browser.userId, browser.id);
    if (stored !== null) return stored;
    const facts = await trustedBrowsers.loadNew(browser);
    return facts && requestedTrust(browser, facts, asked.lifetimeSeconds);
  };
  return runFound({ load, commit: trustedBrowsers.commit, sleep }, trustRequest(browser, asked));
}
