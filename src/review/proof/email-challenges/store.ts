/** The links in memory, under the same contract as in Postgres (src/storage/email-challenges.ts): all of a commit, or nothing. */

import type { Commit, Write } from '../../../engine/commit.ts';
import { EMAIL_CHALLENGES } from '../../../lifecycles/tables.ts';
import { addressKey, type EmailChallenge } from '../../../model/email-challenge.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { carryOut, type LeftOut } from '../carry-out.ts';
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

/** Links that the commit changes, or sends. */
const linkWrites = ({ writes }: Commit): readonly Write[] =>
  writes.filter(({ table }) => table === EMAIL_CHALLENGES.name);
export const movesOf = (commit: Commit): readonly Pick<EmailChallenge, 'id' | 'state'>[] =>
  linkWrites(commit).flatMap((write) =>
    write.kind === 'update' ? [{ ...write.loaded, ...write.set } as EmailChallenge] : [],
  );
export const addedBy = (commit: Commit): EmailChallenge | null =>
  linkWrites(commit).flatMap((write) => (write.kind === 'insert' ? [write.row as EmailChallenge] : []))[0] ?? null;

/** @returns null when a fact did not hold: nothing changed. */
export function commitLinks(stored: Stored, commit: Commit, leftOut?: LeftOut): Stored | null {
  const { user, version, challenges } = stored;
  const users = user === null ? [] : [{ ...user, version: String(version) }];
  const after = carryOut({ users, emailChallenges: challenges }, commit, leftOut);
  if (after === null) return null;
  const links = after.emailChallenges;
  const sorted = [...links.slice(challenges.length), ...links.slice(0, challenges.length)];
  if (after.users === users) return { ...stored, challenges: sorted };
  const { version: _, ...row } = after.users.at(-1) as RegisteredUser & { readonly version?: string };
  return { ...stored, user: row, version: version + 1, challenges: sorted };
}
