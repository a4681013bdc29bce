/** The guard of each commit, with one fact left out in turn. The SQL of each is mutated in test/unit/storage. */
import { isDeepStrictEqual } from 'node:util';
import type { Commit, Write } from '../../../../src/engine/commit.ts';
import type { administration } from '../../../../src/lifecycles/client/walk/walk.ts';
import type { clientDocuments } from '../../../../src/lifecycles/client-document/walk.ts';
import type { clientRegistrations } from '../../../../src/lifecycles/client-registration/walk.ts';
import type { Stored } from '../../../../src/lifecycles/email-challenge/walk/ports.ts';
import type { emailChallenges } from '../../../../src/lifecycles/email-challenge/walk/walk.ts';
import { commitGrant, ISSUING_GUARD } from '../../../../src/lifecycles/grant/walk/ports.ts';
import {
  APPROVAL_GUARD,
  commitSignIn,
  type Guards,
  MOVE_GUARD,
  SESSION_GUARD,
  SPENDING_GUARD,
} from '../../../../src/lifecycles/interaction/walk/ports.ts';
import type { signIns } from '../../../../src/lifecycles/interaction/walk/walk.ts';
import { PASSKEYS } from '../../../../src/lifecycles/passkey/entity.ts';
import { NEW_CODES, PROVING } from '../../../../src/lifecycles/second-factor/walk/ports.ts';
import { actionsAt, type factors } from '../../../../src/lifecycles/second-factor/walk/walk.ts';
import {
  TRUST_STANDS,
  actionsAt as trustActionsAt,
  type trustedBrowsers,
} from '../../../../src/lifecycles/trusted-browser/walk.ts';
import { factNames } from '../../../../src/review/proof/carry-out.ts';
import type { AnyWalk } from '../../../../src/review/proof/walk.ts';
import type { Mutant } from './mutant.ts';

/** Facts that another one implies as long as only the server writes: kept because an operator with psql might. */
const IMPLIED: Readonly<Record<string, string>> = {
  generationIsLoaded: 'the nonce changes whenever the generation does',
  nonceIsLoaded: 'the generation changes whenever the nonce does, unless a backup was restored under a request',
  clientIsThere: 'deleting a client raises its epoch',
  'state in webhookDeliveries is as loaded':
    'only what is pending has a next attempt, and both ends are left by the same events',
  'state in mails is as loaded': 'only what is pending has a next attempt, and both ends are left by the same events',
  'state in passkeys is as loaded':
    'a signature that is recorded of a removed passkey signs in no browser: the session requires the passkey',
  'there is room for a passkey':
    'an end-user of the walk has few passkeys; test/race/relied-on.test.ts has one with all that there may be',
  'attempts in mails is as loaded': 'the claim that counts an attempt moves the next attempt',
  userIsEnabled: 'disabling an end-user raises their epoch',
};
/** Of the statement that approves. */
const IMPLIED_BY_SESSION = 'a sign-in as another ends the session before it, and the approval asks for that session';

/** The same guard without this fact. */
const without = <Guard extends object>(guard: Guard, fact: string): Guard =>
  Object.fromEntries(Object.entries(guard).filter(([name]) => name !== fact)) as Guard;

const mutant = <Right>(what: string, fact: string, walkOf: (right: Right) => Right) => ({
  what,
  part: 'guard of the commit' as const,
  walkOf,
  ...(IMPLIED[fact] !== undefined && { survives: `implied: ${IMPLIED[fact]}` }),
});

export const guardMutants: readonly Mutant[] = Object.keys(ISSUING_GUARD).map((fact) =>
  mutant(`without ${fact}`, fact, (right) => {
    const rest = without(ISSUING_GUARD, fact);
    return { ...right, commit: (stored, commit, now) => commitGrant(stored, commit, now, rest) };
  }),
);

/** Of a retry alone. */
export const retryGuardMutants: readonly Mutant[] = Object.keys(ISSUING_GUARD).map((fact) =>
  mutant(`retry without ${fact}`, fact, (right) => {
    const rest = without(ISSUING_GUARD, fact);
    return {
      ...right,
      commit: (stored, commit, now) =>
        commit.kind === 'repeatHead' ? commitGrant(stored, commit, now, rest) : right.commit(stored, commit, now),
    };
  }),
);

const SIGN_IN_GUARDS: Guards = {
  move: MOVE_GUARD,
  approval: APPROVAL_GUARD,
  spending: SPENDING_GUARD,
  session: SESSION_GUARD,
};

/** Only a session that a sign-out ended continues. */
const deafToSignOut: Mutant<typeof signIns> = mutant('approval that asks only for a replaced session', '', (right) => {
  const sessionIsActive: (typeof APPROVAL_GUARD)[string] = ({ sessions }, { session }) =>
    sessions.some(({ sid, endedReason }) => sid === session.sid && endedReason !== 'signed_in_again');
  const guards: Guards = { ...SIGN_IN_GUARDS, approval: { ...APPROVAL_GUARD, sessionIsActive } };
  return { ...right, commit: (stored, commit, now) => commitSignIn(stored, commit, now, guards) };
});

export const signInGuardMutants: readonly Mutant<typeof signIns>[] = [
  deafToSignOut,
  ...(Object.keys(SIGN_IN_GUARDS) as (keyof Guards)[]).flatMap((name) =>
    Object.keys(SIGN_IN_GUARDS[name]).map((fact) => ({
      ...mutant<typeof signIns>(`${name} without ${fact}`, fact, (right) => {
        const rest: Guards = { ...SIGN_IN_GUARDS, [name]: without(SIGN_IN_GUARDS[name], fact) };
        return { ...right, commit: (stored, commit, now) => commitSignIn(stored, commit, now, rest) };
      }),
      ...(name === 'approval' && fact === 'userIsLoaded' && { survives: `implied: ${IMPLIED_BY_SESSION}` }),
    })),
  ),
];

/** Of walks whose commits are values: each fact that their commits ask for, left out. */
export const factMutants = <Right extends AnyWalk>(facts: readonly string[]): readonly Mutant<Right>[] =>
  facts.map((fact) =>
    mutant<Right>(`without "${fact}"`, fact, (right) => {
      const leftOut = new Set([fact]);
      return { ...right, commit: (stored, commit, now) => right.commit(stored, commit, now, leftOut) };
    }),
  );

/** The sign-ins of this walk are no commits as values. */
export const factorFactMutants = (facts: readonly string[]): readonly Mutant<typeof factors>[] => [
  ...factMutants<typeof factors>(facts),
  ...[PROVING, NEW_CODES].map((fact) =>
    mutant<typeof factors>(`without "${fact}"`, fact, (right) => {
      const leftOut = new Set([fact]);
      return {
        ...right,
        commit: (stored, commit, now) => right.commit(stored, commit, now, leftOut),
        actions: (modelState) => actionsAt(modelState, leftOut),
      };
    }),
  ),
];

/** The sessions that trust stands in for are no commits as values. */
export const trustFactMutants = (facts: readonly string[]): readonly Mutant<typeof trustedBrowsers>[] => [
  ...factMutants<typeof trustedBrowsers>(facts),
  mutant<typeof trustedBrowsers>(`without "${TRUST_STANDS}"`, TRUST_STANDS, (right) => ({
    ...right,
    actions: (modelState) => trustActionsAt(modelState, new Set([TRUST_STANDS])),
  })),
];

const USERNAME_IS_UNIQUE = 'no other row of users has the same username';
const ADDRESS_IS_UNIQUE = 'no other row of users has the same signInAddress';

/** The accounts that its links make have the same username and the same address. */
export const linkFactMutants = (facts: readonly string[]): readonly Mutant<typeof emailChallenges>[] =>
  factMutants<typeof emailChallenges>(facts).map((one) =>
    one.what.includes(USERNAME_IS_UNIQUE)
      ? {
          ...one,
          survives:
            'implied: the address is unique too; test/unit/storage/administration.test.ts has two users with one username',
        }
      : one,
  );

/** @param why by the fact that survives. */
const withReasons = <Right extends AnyWalk>(
  mutants: readonly Mutant<Right>[],
  why: Readonly<Record<string, string>>,
): readonly Mutant<Right>[] =>
  mutants.map((one) => {
    const [, survives] = Object.entries(why).find(([fact]) => one.what.includes(fact)) ?? [];
    return survives === undefined ? one : { ...one, survives };
  });

/** A request of its walk changes a document with its client, and the walk stores one document at most. */
export const documentFactMutants = (facts: readonly string[]): readonly Mutant<typeof clientDocuments>[] =>
  withReasons(factMutants<typeof clientDocuments>(facts), {
    'version in clients is as loaded':
      'implied: the document has changed too; the walk of administration changes clients alone',
    'no other row of clients has the same clientId': 'implied: the document would be stored twice too',
    'no other row of clientDocuments has the same clientId':
      'implied: one document fills the table of the walk; test/race/client-documents.test.ts has two nodes',
  });

export const registrationFactMutants = (facts: readonly string[]): readonly Mutant<typeof clientRegistrations>[] =>
  withReasons(factMutants<typeof clientRegistrations>(facts), {
    'no other row of clients has the same clientId': 'implied: the registration would be stored twice too',
    'no other row of clientRegistrations has the same clientId':
      'implied: one registration fills the table of the walk; the server draws another id for each',
    'state in clientRegistrations is as loaded': 'implied: a deletion moves the end too',
    'unusedUntil in clientRegistrations is as loaded': 'implied: a deletion changes the state too',
  });

export const administrationFactMutants = (facts: readonly string[]): readonly Mutant<typeof administration>[] =>
  factMutants<typeof administration>(facts).map((one) =>
    one.what.includes(USERNAME_IS_UNIQUE) || one.what.includes(ADDRESS_IS_UNIQUE)
      ? { ...one, survives: 'implied: the walk has one end-user; test/unit/storage/administration.test.ts has two' }
      : one,
  );

/** A press that asks only for the link, and a press that asks only for the account, each hold back a second use by themselves. */
const unguardedLinks: Mutant<typeof emailChallenges> = mutant('links without any fact', '', (right) => ({
  ...right,
  commit: (stored, commit, now) => right.commit(stored, commit, now, new Set(factNames(commit))),
}));

/** As if a press that finds everything done already were done again: so it is the same press, or the second of two. */
const repeatedLinks: Mutant<typeof emailChallenges> = mutant(
  'links that take what is done for to be done',
  '',
  (right) => ({
    ...right,
    commit: (stored, commit, now) =>
      right.commit(stored, commit, now, isDone(stored, commit) ? new Set(factNames(commit)) : undefined),
  }),
);
const isDone = ({ user, challenges }: Stored, { writes }: Commit): boolean =>
  writes.every((write) => {
    if (write.kind === 'insert') return write.table === 'emailChallenges';
    const row = [user, ...challenges].find((one) => one?.id === write.loaded['id']);
    return Object.entries(write.set).every(([column, value]) =>
      isDeepStrictEqual(row?.[column as keyof typeof row], value),
    );
  });

/** A statement that writes other rows for the passkey of a new account. */
const withOtherPasskey = (what: string, written: (write: Write) => readonly Write[]): Mutant<typeof emailChallenges> =>
  mutant(what, '', (right) => ({
    ...right,
    commit: (stored, commit, now, leftOut) => {
      const writes = commit.writes.flatMap((write) => (write.table === PASSKEYS.name ? written(write) : [write]));
      return right.commit(stored, { ...commit, writes: writes as unknown as Commit['writes'] }, now, leftOut);
    },
  }));
const OF_ANOTHER = { id: 'a second passkey', credentialId: Buffer.from('another'), userId: 'another end-user' };
const withoutPasskey = withOtherPasskey('a statement that makes the account, and not its passkey', () => []);
const passkeyOfAnother = withOtherPasskey('a statement that registers a passkey for another account, too', (write) =>
  write.kind === 'insert' ? [write, { ...write, row: { ...write.row, ...OF_ANOTHER }, unlike: [] }] : [],
);

export const linkGuardMutants: readonly Mutant<typeof emailChallenges>[] = [
  unguardedLinks,
  repeatedLinks,
  withoutPasskey,
  passkeyOfAnother,
];
