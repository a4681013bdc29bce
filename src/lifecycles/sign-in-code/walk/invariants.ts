/** The invariants of codes in mails: for each, a sentence and the violations. */
import type { Commit } from '../../../engine/commit.ts';
import { addressKey, addressOf } from '../../../model/user.ts';
import { type Change, changeOf } from '../../../review/proof/carry-out.ts';
import type { DefinedInvariant } from '../../../review/proof/define-walk.ts';
import { everythingIsAnswered, staysEnded } from '../../../review/proof/invariants.ts';
import type { ModelState, Move } from '../../../review/proof/moment.ts';
import { storedAfter } from '../../../review/proof/moves.ts';
import type { Walk } from '../../../review/proof/walk.ts';
import { isOpen, SIGN_IN_CODES, type SignInCode } from '../entity.ts';
import { type Asked, requestsAt, type Stored, type Terms, WRONG_CODES_ALLOWED } from './ports.ts';

/** The change of the code that the commit uses; null: it uses none. */
export function usedIn(commit: Commit): Change<SignInCode> | null {
  const change = changeOf(commit, SIGN_IN_CODES);
  return change?.after.state === 'used' ? change : null;
}

type Held = Change<SignInCode> & { readonly now: Date };

/** A commit that held, and used a code. */
function heldUse({ commit }: Move<Terms>): Held | null {
  const used = commit?.held ? usedIn(commit.commit) : null;
  return used && commit ? { ...used, now: commit.commit.now } : null;
}

const storedCode = ({ signInCodes }: Stored, id: string) => signInCodes.find((code) => code.id === id);

const sendingTo = ({ users: [, other] }: Stored, id: string) => ({ kind: 'send', id, userId: other.id }) as const;

/** Whether the request alone brings its code into the state. */
const reaches = (
  walk: Walk<Terms>,
  modelState: ModelState<Terms>,
  asked: Extract<Asked, { readonly id: string }>,
  state: SignInCode['state'],
): boolean => {
  const after = storedAfter(walk, modelState, asked);
  return after !== null && storedCode(after, asked.id)?.state === state;
};

export const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'a-code-signs-in-once',
    says: 'A code is accepted at most once.',
    violation: (_, before, move) => {
      const used = heldUse(move);
      if (used && before.known.used.includes(used.after.id)) return 'it was used twice';
      const { accepted } = move.after.known;
      return new Set(accepted).size < accepted.length ? 'it was accepted twice' : null;
    },
  },
  {
    name: 'only-a-sent-code-signs-in',
    says: 'Only a code that was sent and has not ended signs in: no superseded, spent or used one.',
    violation: (_, { stored }, move) => {
      const used = heldUse(move);
      const state = used && storedCode(stored, used.after.id)?.state;
      return used && state !== 'active' ? `a code that was ${state ?? 'not stored'} signed in` : null;
    },
  },
  {
    name: 'accepted-is-used',
    says: 'No code signs in a browser and can sign in again.',
    violation: (_, __, { after: { known } }) =>
      known.accepted.some((id) => !known.used.includes(id)) ? 'it was accepted, and not used' : null,
  },
  {
    name: 'never-in-another-browser',
    says: 'A code never signs in a browser, or in a sign-in, that did not ask for it: the mailbox alone is not enough.',
    violation: (_, __, move) => {
      const asked = move.commit?.held ? move.commit.asked : null;
      if (asked?.kind !== 'present' || (asked.browser === 'own' && asked.place === 'own')) return null;
      return changeOf(move.commit?.commit as Commit, SIGN_IN_CODES) ? 'another browser changed it' : null;
    },
  },
  {
    name: 'only-the-right-code',
    says: 'A thief who sees the page alone, and has not read the mail, is not signed in by a wrong code.',
    violation: (_, __, move) =>
      heldUse(move) && move.commit?.asked.kind === 'present' && move.commit.asked.typed === 'wrong'
        ? 'a wrong code signed in'
        : null,
  },
  {
    name: 'never-after-its-end',
    says: 'A code does not sign in at its end, or later.',
    violation: (_, __, move) => {
      const used = heldUse(move);
      return used?.loaded && used.now >= used.loaded.endsAt ? 'it had ended' : null;
    },
  },
  {
    name: 'so-many-guesses',
    says: 'A code is open for as many wrong guesses as the policy allows, and for no more, however many arrive together.',
    spec: 'NIST SP 800-63B-4 §3.2.2',
    violationAt: (_, { stored: { signInCodes } }) => {
      if (signInCodes.some((code) => isOpen(code) && code.wrongCodes > WRONG_CODES_ALLOWED))
        return 'a code outlived its last wrong code';
      const isTooEarly = ({ state, wrongCodes }: SignInCode) => state === 'spent' && wrongCodes <= WRONG_CODES_ALLOWED;
      return signInCodes.some(isTooEarly) ? 'a code was spent by fewer' : null;
    },
  },
  {
    name: 'every-guess-counts',
    says: 'Each wrong code that is answered as wrong is counted.',
    spec: 'NIST SP 800-63B-4 §3.2.2',
    violation: (_, { stored }, { commit, after }) => {
      if (!commit?.held || commit.asked.kind !== 'present') return null;
      const { id } = commit.asked;
      const [was, is] = [storedCode(stored, id), storedCode(after.stored, id)];
      if (!was || !is || is.state === 'used') return null;
      return is.wrongCodes === was.wrongCodes + 1 ? null : 'a guess was not counted';
    },
  },
  {
    name: 'one-open-code',
    says: 'A browser has one code at a time for a sign-in: a newer one ends the older.',
    violationAt: (_, { stored }) => (stored.signInCodes.filter(isOpen).length > 1 ? 'two codes are open' : null),
  },
  {
    name: 'signs-in-the-owner-of-the-mailbox',
    says: 'A code signs in the end-user to whom it was sent, who may sign in and whose verified address is still that of the mail.',
    violation: (_, { stored }, move) => {
      const used = heldUse(move);
      if (!used) return null;
      const user = stored.users.find(({ id }) => id === used.after.userId);
      if (!user || user.disabledAt !== null) return 'a disabled end-user signed in';
      const own = addressOf(user);
      const isSame = own?.isVerified && addressKey(own.address) === addressKey(used.after.address ?? '');
      return isSame ? null : 'the mailbox is not theirs any more';
    },
  },
  {
    name: 'never-after-the-sessions-were-ended',
    says: 'A code does not sign in after a new password, or after the sessions of the end-user were ended otherwise.',
    violation: (_, { stored }, move) => {
      const used = heldUse(move);
      const user = used && stored.users.find(({ id }) => id === used.after.userId);
      return user && user.epoch !== used?.after.userEpoch ? 'the sessions were ended since it was sent' : null;
    },
  },
  {
    name: 'a-code-stays-that-of-its-end-user',
    says: 'A code that was sent to an end-user is never that of another.',
    violation: (_, { stored }, { after }) =>
      stored.signInCodes.some(({ id, userId }) => userId !== null && storedCode(after.stored, id)?.userId !== userId)
        ? 'it became that of another'
        : null,
  },
  {
    name: 'ended-codes-stay-ended',
    says: 'A code that was used, spent or superseded stays as it was.',
    ...staysEnded<Terms, SignInCode>({
      rows: ({ signInCodes }) => signInCodes,
      nameOf: ({ id }) => id,
      hasEnded: (code) => !isOpen(code),
      fact: ({ state, wrongCodes }) => `${state} ${wrongCodes}`,
    }),
  },
  {
    name: 'every-code-is-answered',
    says: 'Every event of a code is answered, in every state that can be reached.',
    ...everythingIsAnswered<Terms>(({ stored }) => requestsAt(stored)),
  },
  {
    name: 'right-codes-sign-in',
    says: 'A code is sent, and in time and in its browser it signs in an end-user who may. Nothing above holds because nothing works.',
    violationAt: (walk, modelState) => {
      const { stored, now } = modelState;
      for (const code of stored.signInCodes) {
        const { id, state, endsAt, userId, userEpoch, address } = code;
        const user = stored.users.find((one) => one.id === userId);
        const own = user && addressOf(user);
        const isTheirs = user && user.disabledAt === null && user.epoch === userEpoch && own?.address === address;
        if (now >= endsAt.getTime()) continue;
        if (state === 'requested' && !reaches(walk, modelState, sendingTo(stored, id), 'active'))
          return `${id} is not sent`;
        if (state !== 'active' || !isTheirs) continue;
        const asked = { kind: 'present', id, typed: 'right', browser: 'own', place: 'own' } as const;
        if (!reaches(walk, modelState, asked, 'used')) return `${id} does not sign in`;
      }
      return null;
    },
  },
];
