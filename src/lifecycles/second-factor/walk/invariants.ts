/** The invariants of factors: for each, a sentence and the violations. */
import type { Commit, Table } from '../../../engine/commit.ts';
import { sameBytes } from '../../../model/grant.ts';
import { BY_PASSWORD } from '../../../oauth/authentication-methods.ts';
import { type Change, changeOf } from '../../../review/proof/carry-out.ts';
import type { DefinedInvariant } from '../../../review/proof/define-walk.ts';
import { everythingIsAnswered, staysEnded } from '../../../review/proof/invariants.ts';
import type { ModelState, Move } from '../../../review/proof/moment.ts';
import { runAlone, storedAfter } from '../../../review/proof/moves.ts';
import type { Walk } from '../../../review/proof/walk.ts';
import { PASSKEYS } from '../../passkey/entity.ts';
import { RECOVERY_CODES } from '../../recovery-code/entity.ts';
import { SECOND_FACTORS, type SecondFactor, setUpEndsAt } from '../entity.ts';
import {
  type AboutApp,
  type AboutPasskey,
  type AboutSession,
  type Accepted,
  type Asked,
  hasAnother,
  hasAnotherWay,
  isAboutSession,
  isDisabled,
  type Stored,
  stands,
  stepAt,
  type Terms,
} from './ports.ts';
import { acceptedBy, NEW_BROWSERS, newPasskeyId, requestsAt } from './requests.ts';

/** The factor that the answer to a browser has just accepted. */
function justAccepted({ answer }: Move<Terms>): Accepted | null {
  return answer?.answer.kind === 'accepted' ? acceptedBy(answer.asked) : null;
}

const acceptedBefore = ({ known }: ModelState<Terms>, { factor, number }: Accepted): boolean =>
  known.accepted.some((one) => one.factor.id === factor.id && one.number === number);

/** The change that a held commit made to a row of this table. */
const heldOf = <Row extends object>({ commit }: Move<Terms>, table: Table<Row>): Change<Row> | null =>
  commit?.held && !isAboutSession(commit.commit) ? changeOf(commit.commit, table) : null;

export const writtenBy = (commit: Commit): Change<Row> | null =>
  changeOf<Row>(commit, SECOND_FACTORS) ?? changeOf<Row>(commit, PASSKEYS) ?? changeOf<Row>(commit, RECOVERY_CODES);

/** A commit about a factor that held, with its request. */
function heldIn({ commit }: Move<Terms>): Held | null {
  if (!commit?.held || isAboutSession(commit.commit)) return null;
  const change = writtenBy(commit.commit);
  return (
    change && {
      asked: commit.asked,
      before: change.loaded,
      after: change.after,
      decidedAt: commit.commit.now.getTime(),
    }
  );
}
type Held = { readonly asked: Asked; readonly before: Row | null; readonly after: Row; readonly decidedAt: number };
type Row = { readonly id: string; readonly state: string };

const isRemoval = (asked: Asked): asked is Extract<AboutApp | AboutPasskey, { isDemanded: boolean }> =>
  'isDemanded' in asked;
const byEndUser = (asked: Asked) => isRemoval(asked) && asked.type === 'removalRequested';

const rowsOf = ({ secondFactors, passkeys, recoveryCodes }: Stored): readonly Row[] => [
  ...secondFactors,
  ...passkeys,
  ...recoveryCodes,
];
const stateOf = (stored: Stored, id: string): string | null =>
  rowsOf(stored).find((row) => row.id === id)?.state ?? null;

const ENDED = ['removed', 'used', 'replaced'];
const NIST = 'NIST SP 800-63B-4';
const FACTORS = ['secondFactor', 'passkey'];
const ALL = [...FACTORS, 'recoveryCode'];
const APP = ['secondFactor'];
const PASSKEY = ['passkey'];
const CODE = ['recoveryCode'];

export const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'a-code-is-accepted-once',
    says: 'The server accepts the code of a time step at most once, over all browsers, and no earlier code after it.',
    spec: 'RFC 6238 §5.2',
    machines: APP,
    violation: (_, before, move) => {
      const accepted = justAccepted(move);
      if (accepted?.factor.kind === 'secondFactor' && acceptedBefore(before, accepted))
        return 'a code was accepted twice';
      const held = heldOf(move, SECOND_FACTORS);
      const lastStep = before.stored.secondFactors.find(({ id }) => id === held?.after.id)?.lastStep ?? null;
      const step = held?.after.lastStep ?? null;
      return step !== null && lastStep !== null && step < lastStep ? 'a code was accepted after a later code' : null;
    },
  },
  {
    name: 'a-recovery-code-works-once',
    says: 'A recovery code works at most once, over all browsers.',
    spec: `${NIST} §4.2.1`,
    machines: CODE,
    violation: (_, before, move) => {
      const accepted = justAccepted(move);
      if (accepted?.factor.kind !== 'recoveryCode') return null;
      if (acceptedBefore(before, accepted)) return 'a recovery code was accepted twice';
      return stateOf(move.after.stored, accepted.factor.id) === 'used'
        ? null
        : 'it was accepted, and may be used again';
    },
  },
  {
    name: 'newer-codes-end-older-codes',
    says: 'A recovery code never works after newer codes were made.',
    spec: `${NIST} §4.2.1`,
    machines: CODE,
    violationAt: (_, { stored: { recoveryCodes } }) => {
      const newest = Math.max(0, ...recoveryCodes.map(({ made }) => made));
      return recoveryCodes.some(({ state, made }) => state === 'active' && made < newest)
        ? 'an older code still works'
        : null;
    },
    violation: (_, { stored }, move) => {
      const held = heldIn(move);
      return held?.after.state === 'used' && stateOf(stored, held.after.id) !== 'active'
        ? 'a code was used that newer codes had replaced, or that was used'
        : null;
    },
  },
  {
    name: 'removed-factors-never-sign-in',
    says: 'A removed passkey or app never signs in again, and a rejected code signs in no user.',
    machines: ALL,
    violation: (_, { stored, known }, { commit, after }) => {
      const session = commit?.held && isAboutSession(commit.commit) ? commit.asked : null;
      if (session?.kind === 'session' && !stands(stored, session.factor)) return `${session.factor.id} signed in`;
      const signedIn = after.stored.sessions.find(({ sid }) => stored.sessions.every((one) => one.sid !== sid));
      const by = known.accepted.find(({ sid }) => sid === signedIn?.sid);
      return by && !stands(stored, by.factor) ? `${by.factor.id} signed in` : null;
    },
    violationAt: (walk, ports) =>
      tries(ports).some(({ state, asked }) => state !== 'active' && isAcceptedAlone(walk, ports, asked))
        ? 'a factor that is not active is accepted'
        : null,
  },
  {
    name: 'what-ended-stays-ended',
    says: 'A factor that was removed, used or replaced stays so, its secrets are gone, and no authenticator is registered again.',
    machines: ALL,
    ...staysEnded<Terms, Row>({
      rows: rowsOf,
      nameOf: ({ id }) => id,
      hasEnded: ({ state }) => ENDED.includes(state),
      fact: ({ state }) => state,
    }),
    violationAt: (_, { stored: { secondFactors, passkeys } }) => {
      if (secondFactors.some(({ state, sealedSecret }) => state === 'removed' && sealedSecret !== null))
        return 'a secret is left';
      if (passkeys.some(({ state, publicKey }) => state === 'removed' && publicKey !== null)) return 'a key is left';
      const twice = passkeys.some((one, index) =>
        passkeys.slice(index + 1).some(({ credentialId }) => sameBytes(credentialId, one.credentialId)),
      );
      return twice ? 'an authenticator is registered twice' : null;
    },
  },
  {
    name: 'signatures-get-newer',
    says: 'A signature is accepted at most once: the counter of a passkey rises.',
    spec: 'WebAuthn Level 3 §7.2',
    machines: PASSKEY,
    violation: (_, before, move) => {
      const accepted = justAccepted(move);
      if (accepted?.factor.kind === 'passkey' && accepted.number !== null && acceptedBefore(before, accepted))
        return 'a signature was accepted twice';
      const held = heldOf(move, PASSKEYS);
      const row = before.stored.passkeys.find(({ id }) => id === held?.after.id);
      return row && held && held.after.counter < row.counter ? 'the counter fell' : null;
    },
  },
  {
    name: 'only-what-is-right-is-accepted',
    says: 'No wrong code and no wrong signature is accepted.',
    spec: 'RFC 6238 §5.2, WebAuthn Level 3 §7.2',
    machines: FACTORS,
    violation: (_, { now }, move) => {
      const accepted = justAccepted(move);
      if (!accepted || !move.answer) return null;
      const { asked } = move.answer;
      if (asked.kind === 'app' && (accepted.number === null || Math.abs(accepted.number - stepAt(now)) > 1))
        return 'a wrong code was accepted';
      const isSigned = asked.kind === 'passkey' && asked.type === 'presented';
      return isSigned && accepted.number === null ? 'a wrong signature was accepted' : null;
    },
  },
  {
    name: 'a-set-up-ends',
    says: 'An app counts for nothing before its first right code, which comes in time.',
    spec: `${NIST} §4.1.2`,
    machines: APP,
    violation: (_, { stored }, move) => {
      const held = heldIn(move);
      if (held?.asked.kind !== 'app' || held.after.state !== 'active' || held.before?.state !== 'unconfirmed')
        return null;
      const app = stored.secondFactors.find(({ id }) => id === held.after.id);
      if (app && held.decidedAt >= setUpEndsAt(app)) return 'an expired set-up was confirmed';
      return held.asked.type === 'confirmed' ? null : 'it became active without being confirmed';
    },
  },
  {
    name: 'a-password-alone-changes-no-factor',
    says: 'Where there is a factor, a sign-in by password alone neither adds nor removes one.',
    spec: `${NIST} §4.1.2`,
    machines: FACTORS,
    violation: (_, { stored }, move) => {
      const held = heldIn(move);
      if (!held || !('byPasswordAlone' in held.asked) || !held.asked.byPasswordAlone) return null;
      const wasActive = stateOf(stored, held.after.id) === 'active';
      if (byEndUser(held.asked)) return wasActive ? 'a password alone removed a factor' : null;
      return !wasActive && hasAnother(stored, held.after.id) ? 'a password alone added a factor' : null;
    },
  },
  {
    name: 'a-demanded-factor-stays',
    says: 'Where the policy demands a factor, the end-user never removes the last.',
    spec: `${NIST} §2.2`,
    machines: FACTORS,
    violation: (_, { stored }, move) => {
      const held = heldIn(move);
      if (!held || !byEndUser(held.asked) || stateOf(stored, held.after.id) !== 'active') return null;
      return stored.isDemanded && !hasAnother(stored, held.after.id) ? 'the last factor is gone' : null;
    },
  },
  {
    name: 'a-way-to-sign-in-is-left',
    says: 'An end-user never removes the passkey that is their last way to sign in.',
    spec: `${NIST} §4.2`,
    machines: PASSKEY,
    violation: (_, { stored }, move) => {
      const held = heldIn(move);
      if (held?.asked.kind !== 'passkey' || !byEndUser(held.asked)) return null;
      if (stateOf(stored, held.after.id) !== 'active') return null;
      return hasAnotherWay(stored, held.after.id) ? null : 'the last way to sign in is gone';
    },
  },
  {
    name: 'an-ended-user-proves-nothing',
    says: 'A disabled end-user proves nothing from then on, and registers no passkey.',
    spec: 'OpenID Connect Core §3.1.2.3',
    machines: ALL,
    violation: (_, { stored }, move) => {
      const held = heldIn(move);
      return isDisabled(stored) && held?.before === null ? 'a passkey was registered' : null;
    },
    violationAt: (walk, ports) => {
      const { stored, known } = ports;
      if (!isDisabled(stored)) return null;
      const asked = requestsAt(stored, known.accepted).find(
        (one) => acceptedBy(one) !== null && isAcceptedAlone(walk, ports, one),
      );
      return asked ? 'a code or a signature was accepted' : null;
    },
  },
  {
    name: 'every-factor-that-the-sign-in-needs',
    says: 'No session without every factor that account and policy demanded: a password signs in alone only where nothing else was demanded.',
    spec: `${NIST} §2.2`,
    machines: ALL,
    violationAt: (_, { stored: { sessions } }) => {
      const weak = sessions.find(
        ({ state, needsFactor, amr }) => state === 'active' && needsFactor && amr.join() === BY_PASSWORD.join(),
      );
      return weak ? `${weak.sid} is active with a password alone` : null;
    },
    violation: (_, { known }, { commit }) => {
      if (commit?.held !== true || commit.asked.kind !== 'session') return null;
      const { sid, factor } = commit.asked;
      return known.accepted.some((one) => one.sid === sid && one.factor.id === factor.id)
        ? null
        : 'a session got a factor that was not proven in it';
    },
  },
  {
    name: 'every-request-is-answered',
    says: 'Every event is answered, in every state that can be reached.',
    spec: 'RFC 9110 §15',
    machines: ALL,
    ...everythingIsAnswered(({ stored, known }) => requestsAt(stored, known.accepted)),
  },
  {
    name: 'what-is-right-is-served',
    says: 'The server accepts a right code or signature, confirms an app in time, and carries out a permitted removal: nothing above holds because nothing works.',
    spec: `${NIST} §3.1.4`,
    machines: ALL,
    violationAt: (walk, ports) => {
      if (isDisabled(ports.stored)) return null;
      const failing = rightThings(ports).find(([asked, state]) => {
        const after = storedAfter(walk, ports, asked);
        return after === null || stateOf(after, asked.id) !== state;
      });
      if (failing) return `${failing[0].id} is not ${failing[1]}`;
      return signInFails(walk, ports);
    },
  },
];

const isAcceptedAlone = (walk: Walk<Terms>, ports: ModelState<Terms>, asked: Asked): boolean => {
  const ran = runAlone(walk, ports, asked);
  return ran.kind === 'wants' || (ran.kind === 'answered' && ran.answer.kind === 'accepted');
};

/** A proven factor signs in its browser. */
function signInFails(walk: Walk<Terms>, ports: ModelState<Terms>): string | null {
  const { stored, known } = ports;
  for (const { sid, factor } of known.accepted) {
    if (stored.sessions.every((session) => session.sid !== sid) || !stands(stored, factor)) continue;
    const after = storedAfter(walk, ports, { kind: 'session', sid, factor });
    if (after?.sessions.find((session) => session.sid === sid)?.state !== 'active') return `${sid} is not signed in`;
  }
  return null;
}

/** The requests that have to succeed, and the states that they lead to. */
function rightThings({
  stored,
  now,
}: ModelState<Terms>): (readonly [asked: Exclude<Asked, AboutSession>, leadsTo: string])[] {
  const { secondFactors, passkeys, recoveryCodes } = stored;
  const step = stepAt(now);
  const isFresh = ({ state, lastStep }: SecondFactor) => state === 'active' && step > (lastStep ?? 0);
  const isInTime = (app: SecondFactor) => app.state === 'unconfirmed' && now < setUpEndsAt(app);
  const strong = { byPasswordAlone: false, sid: BROWSER } as const;
  return [
    ...secondFactors
      .filter((app) => isFresh(app) || isInTime(app))
      .map(({ id, state }) => {
        const type = state === 'active' ? 'presented' : 'confirmed';
        return [{ kind: 'app', id, type, step, ...strong }, 'active'] as const;
      }),
    ...passkeys
      .filter(({ state }) => state === 'active')
      .map(({ id, counter }) => [signed(id, counter + 1), 'active'] as const),
    ...(passkeys.length > 0
      ? []
      : [[{ kind: 'passkey', id: newPasskeyId(BROWSER), type: 'registered', ...strong }, 'active'] as const]),
    ...recoveryCodes
      .filter(({ state }) => state === 'active')
      .flatMap(({ id }) => [
        [{ kind: 'code', id, type: 'presented', sid: BROWSER }, 'used'] as const,
        [{ kind: 'code', id, type: 'newCodesRequested' }, 'replaced'] as const,
      ]),
    ...removals(stored).map((asked) => [asked, 'removed'] as const),
  ];
}

function removals(stored: Stored) {
  const { secondFactors, passkeys, isDemanded } = stored;
  const factors = [
    ...secondFactors.map(({ id, state }) => ({ kind: 'app' as const, id, state })),
    ...passkeys.map(({ id, state }) => ({ kind: 'passkey' as const, id, state })),
  ];
  return factors
    .filter(({ state }) => state !== 'removed')
    .flatMap(({ kind, id, state }) => {
      const by = { kind, id, byPasswordAlone: false, isDemanded };
      const isLast = kind === 'passkey' && state === 'active' && !hasAnotherWay(stored, id);
      const isKept = isLast || (isDemanded && state === 'active' && !hasAnother(stored, id));
      const byAdministrator = { ...by, type: 'removalRequestedByAdministrator' as const };
      return isKept ? [byAdministrator] : [byAdministrator, { ...by, type: 'removalRequested' as const }];
    });
}

/** Each factor, and how a sign-in would be tried with it. */
const tries = ({
  stored: { secondFactors, passkeys, recoveryCodes },
  now,
}: ModelState<Terms>): readonly { state: string; asked: Asked }[] => [
  ...secondFactors.map(({ id, state }) => ({
    state,
    asked: { kind: 'app', id, type: 'presented', step: stepAt(now), byPasswordAlone: true, sid: BROWSER } as const,
  })),
  ...passkeys.map(({ id, state, counter }) => ({ state, asked: signed(id, counter + 1) })),
  ...recoveryCodes.map(({ id, state }) => ({
    state,
    asked: { kind: 'code', id, type: 'presented', sid: BROWSER } as const,
  })),
];

const [BROWSER] = NEW_BROWSERS;
const signed = (id: string, counter: number) =>
  ({ kind: 'passkey', id, type: 'presented', counter, sid: BROWSER }) as const;
