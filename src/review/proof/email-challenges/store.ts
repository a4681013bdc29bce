/** The links in memory, under the same contract as in Postgres (src/storage/email-challenges.ts): all of a commit, or nothing. */

import type { EmailChallengeCommit } from '../../../lifecycles/email-challenge/lifecycle.ts';
import { addressKey, type EmailChallenge } from '../../../model/email-challenge.ts';
import { drawnId } from '../identities.ts';
import type { Asked, Stored, Terms } from './terms.ts';

export const USER_ID = drawnId();

export const hasUser = ({ user }: Stored): boolean => user !== null;
/** Of somebody who has no account yet: the address. */
const personAsked = ({ purpose, address }: Extract<Asked, { kind: 'send' }>): string =>
  purpose === 'sign_up' || purpose === 'invitation' ? `address ${addressKey(address)}` : USER_ID;

export function load(stored: Stored, asked: Asked, now: Date): Terms['loaded'] {
  const { user, version, challenges, factorSince } = stored;
  const target = asked.kind === 'send' ? undefined : challenges.find(({ id }) => id === asked.id);
  const person = asked.kind === 'send' ? personAsked(asked) : target?.person;
  // With what a lost commit may have sent, whatever became of it.
  const theirs = challenges.filter(
    (one) => one.person === person && (one === target || asked.kind === 'send' || one.state === 'active'),
  );
  const isTheirs = asked.kind === 'send' ? person === USER_ID : target?.userId === USER_ID;
  // Of the accounts that links make, the walk has one: another would have the same username.
  return isTheirs
    ? {
        now,
        challenges: theirs,
        user,
        version: user === null ? null : String(version),
        usernameOf: null,
        oldestFactorAt: factorSince === null ? null : new Date(factorSince),
      }
    : { now, challenges: theirs, user: null, version: null, usernameOf: user?.id ?? null, oldestFactorAt: null };
}

type Fact = (before: Stored, commit: EmailChallengeCommit) => boolean;

/** Every fact that the commit compares, by name, so that each can be left out to see what that would allow. */
export const LINK_GUARD: Readonly<Record<string, Fact>> = {
  everyMoveStands: ({ challenges }, { moves }) =>
    moves.every((move) => challenges.some(({ id, state }) => id === move.id && state === move.from)),
  nothingWasSentMeanwhile: ({ challenges }, { moves }) =>
    moves.every((move) =>
      challenges.some(({ id, newerLinks }) => id === move.id && newerLinks === move.newerLinks.from),
    ),
  userIsAsLoaded: ({ user, version }, commit) =>
    commit.user === null || commit.user.version === (user === null ? null : String(version)),
  addedIsNew: ({ challenges }, { added }) => challenges.every(({ id }) => id !== added?.id),
  oneIsNewest: ({ challenges }, { moves, added }) =>
    added === null ||
    added.purpose === 'undo_change' ||
    !challenges.some(
      ({ id, state, newerLinks, person, purpose }) =>
        state === 'active' &&
        newerLinks === 0 &&
        person === added.person &&
        purpose === added.purpose &&
        !moves.some((move) => move.id === id),
    ),
};

/** @returns null when a fact did not hold: nothing changed. */
export function commitLinks(stored: Stored, commit: EmailChallengeCommit, guard = LINK_GUARD): Stored | null {
  if (!Object.values(guard).every((fact) => fact(stored, commit))) return null;
  const { moves, added, user } = commit;
  const moved = stored.challenges.map((challenge): EmailChallenge => {
    const move = moves.find(({ id }) => id === challenge.id);
    return move
      ? {
          ...challenge,
          state: move.to as EmailChallenge['state'],
          supersededReason: move.reason,
          newerLinks: move.newerLinks.to,
        }
      : challenge;
  });
  return {
    ...stored,
    user: user === null ? stored.user : user.after,
    version: user === null ? stored.version : stored.version + 1,
    challenges: added === null ? moved : [added, ...moved],
  };
}
