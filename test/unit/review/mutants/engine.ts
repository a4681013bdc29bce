/** The engine, with one step missing, doubled or out of order. The same slips are tested on every model that contains the step. */

import type { Command, Reply } from '../../../../src/engine/run.ts';
import type { administration } from '../../../../src/lifecycles/client/walk/walk.ts';
import { EXTERNAL_SIGN_INS } from '../../../../src/lifecycles/external-sign-in/entity.ts';
import type { externalSignIns } from '../../../../src/lifecycles/external-sign-in/walk/walk.ts';
import { type Authorization, type AuthorizationWalk, THE_KEY } from '../../../../src/lifecycles/grant/walk/ports.ts';
import type { signIns } from '../../../../src/lifecycles/interaction/walk/walk.ts';
import type { mails } from '../../../../src/lifecycles/mail/walk.ts';
import type { LoadedPresentation } from '../../../../src/lifecycles/presentation.ts';
import type { RefreshTokenFacts } from '../../../../src/lifecycles/refresh-token/lifecycle.ts';
import type { Asked } from '../../../../src/lifecycles/second-factor/walk/ports.ts';
import type { factors } from '../../../../src/lifecycles/second-factor/walk/walk.ts';
import type { signInCodes } from '../../../../src/lifecycles/sign-in-code/walk/walk.ts';
import type { signingKeys } from '../../../../src/lifecycles/signing-key/walk/walk.ts';
import type { UserRow } from '../../../../src/lifecycles/user/lifecycle.ts';
import type { webhookDeliveries } from '../../../../src/lifecycles/webhook-delivery/walk.ts';
import { chainPosition, type Grant, refreshTokenState } from '../../../../src/model/grant.ts';
import { changeOf, factNames } from '../../../../src/review/proof/carry-out.ts';
import type { AnyWalk } from '../../../../src/review/proof/walk.ts';
import { type Mutant, withLifecycle } from './mutant.ts';

const engine = <Right extends AnyWalk = AuthorizationWalk>(
  what: string,
  walkOf: (right: Right) => Right,
  survives?: string,
): Mutant<Right> => ({ what, part: 'engine', walkOf, ...(survives !== undefined && { survives }) });

// biome-ignore lint/suspicious/noExplicitAny: of any walk.
type Any = any;
type Step = Command<Any>;
type Answer = Reply<Any>;

/** Passes commands and replies on, and may change them on the way. */
const passing = <Right extends AnyWalk>(
  right: Right,
  change: {
    readonly step?: (step: Step) => Step | Answer;
    readonly reply?: (reply: Answer, step: Step) => Answer;
  },
): Right => ({
  ...right,
  running: function* (...given: Parameters<AnyWalk['running']>): Generator<Step, unknown, Answer> {
    const steps = right.running(...given) as Generator<Step, unknown, Answer>;
    let next = steps.next();
    while (!next.done) {
      const asked = change.step?.(next.value) ?? next.value;
      const reply: Answer =
        asked.kind === 'commit' || asked.kind === 'load' || asked.kind === 'answer' ? yield asked : asked;
      next = steps.next(change.reply?.(reply, next.value) ?? reply);
    }
    return next.value;
  },
});

const done: Answer = { kind: 'committed', committed: true };
const isCommit = (step: Step, kind?: string) =>
  step.kind === 'commit' && (kind === undefined || step.commit.kind === kind);

const ignoresConflicts = <Right extends AnyWalk>(right: Right): Right =>
  passing(right, {
    reply: (reply, step) => (step.kind === 'commit' && reply.kind === 'committed' ? done : reply),
  });
const believesLostAnswers = <Right extends AnyWalk>(right: Right): Right =>
  passing(right, { reply: (reply) => (reply.kind === 'unavailable' ? done : reply) });
const answersWithoutCommit = <Right extends AnyWalk>(right: Right): Right =>
  passing(right, { step: (step) => (isCommit(step) ? done : step) });
/** The same commit again, as it was decided on the first load. */
const commitsTheFirstDecision = <Right extends AnyWalk>(right: Right): Right => ({
  ...right,
  running: function* (...given: Parameters<AnyWalk['running']>): Generator<Step, unknown, Answer> {
    const [first, ...rest] = given;
    const steps = right.running(first, ...rest) as Generator<Step, unknown, Answer>;
    let next = steps.next();
    while (!next.done) {
      const reply: Answer = yield next.value;
      next = steps.next(reply.kind === 'loaded' ? { kind: 'loaded', loaded: first } : reply);
    }
    return next.value;
  },
});
const writesNothing = <Right extends AnyWalk>(right: Right): Right => ({
  ...right,
  commit: (stored: object, commit: object, now: Date) => right.commit(stored, commit, now) && stored,
});

const seenBy = (right: AuthorizationWalk, see: (grant: Grant) => Grant): AuthorizationWalk => ({
  ...right,
  load: (...given) => {
    const loaded = right.load(...given);
    return { ...loaded, grant: see(loaded.grant) };
  },
});

type Commit = Parameters<AuthorizationWalk['commit']>[1];
/** The change of the rows by a commit of this kind is altered. */
const made = (
  right: AuthorizationWalk,
  kind: Commit['kind'],
  change: (after: Authorization, before: Authorization) => Authorization,
): AuthorizationWalk => ({
  ...right,
  commit: (stored, commit, now) => {
    const after = right.commit(stored, commit, now);
    return after && commit.kind === kind ? change(after, stored) : after;
  },
});
const withGrant = (stored: Authorization, change: Partial<Authorization['grant']>): Authorization => ({
  ...stored,
  grant: { ...stored.grant, ...change },
});

/** The state of a refresh token is worked out wrongly. */
const readsToken = (
  right: AuthorizationWalk,
  stateOf: (grant: Grant, token: RefreshTokenFacts['token']) => string | null,
): AuthorizationWalk =>
  withLifecycle(right, 'refreshToken', (lifecycle) => ({
    ...lifecycle,
    stateOf: (grant: Grant, facts: RefreshTokenFacts) => {
      const wrong = grant.state === 'active' ? stateOf(grant, facts.token) : null;
      return wrong ?? refreshTokenState(grant, facts.token);
    },
  }));

export const engineMutants: readonly Mutant[] = [
  engine('the conflict check is skipped: a lost guard counts as committed', ignoresConflicts),
  engine('tokens are answered without a commit', (right) =>
    passing(right, { step: (step) => (isCommit(step, 'moveHead') ? done : step) }),
  ),
  engine('the revocation is thrown away with the error (rolled back)', (right) =>
    passing(right, { step: (step) => (isCommit(step, 'revoke') ? done : step) }),
  ),
  engine('a lost answer counts as committed', believesLostAnswers),
  engine('a lost guard is not decided again: the same commit once more', (right) => ({
    ...right,
    running: function* (...given: Parameters<AnyWalk['running']>): Generator<Step, unknown, Answer> {
      const [first, request] = given;
      const steps = right.running(...(given as Parameters<typeof right.running>)) as Generator<Step, unknown, Answer>;
      let next = steps.next();
      let last: Step | null = null;
      while (!next.done) {
        const step: Step = next.value;
        const reply: Answer = yield step;
        if (step.kind === 'load' && reply.kind === 'loaded' && last && isCommit(last, 'moveHead')) {
          // Only the compared row is renewed, not the decision about it.
          const { grant } = reply.loaded as LoadedPresentation;
          const commit = (last as Extract<Step, { kind: 'commit' }>).commit;
          const move = { ...commit.move, loaded: grant };
          const again = yield { kind: 'commit', commit: { kind: 'moveHead', move } };
          if (again.kind === 'committed' && again.committed) {
            const after = { ...grant, refreshGeneration: move.generation, refreshNonce: move.nonce };
            const decision = { machine: '', event: '', from: '', to: '', effects: [] };
            const committed = { before: grant, after, decisions: [decision], entries: [] };
            return (request as Any).answer(committed, first);
          }
        }
        last = step;
        next = steps.next(reply);
      }
      return next.value;
    } as AuthorizationWalk['running'],
  })),
  engine('the code is committed in two statements: used first, the head afterwards', (right) =>
    // A reader between the two sees the new generation with the old nonce.
    made(right, 'moveHead', (after, { grant }) => withGrant(after, { refreshNonce: grant.refreshNonce })),
  ),
  engine('the head keeps its nonce', (right) =>
    made(right, 'moveHead', (after, { grant }) =>
      grant.refreshNonce ? withGrant(after, { refreshNonce: grant.refreshNonce }) : after,
    ),
  ),
  engine('the head keeps its generation', (right) =>
    made(right, 'moveHead', (after, { grant }) => withGrant(after, { refreshGeneration: grant.refreshGeneration })),
  ),
  engine('the commit of a head changes nothing', (right) => made(right, 'moveHead', (_, before) => before)),
  engine('a revocation is guarded by the generation', (right) => ({
    ...right,
    commit: (stored, commit, now) =>
      commit.kind === 'revoke' && stored.grant.refreshGeneration !== (commit.revocation.entries[0]?.generation ?? null)
        ? null
        : right.commit(stored, commit, now),
  })),
  engine('a revocation is written, but not the state', (right) => made(right, 'revoke', (_, before) => before)),
  engine('a revocation begins the chain again', (right) =>
    made(right, 'revoke', (_, before) => withGrant(before, { refreshGeneration: null, refreshNonce: null })),
  ),
  engine('the epoch of the client is forgotten', (right) => bothForget(right, 'client')),
  engine('the epoch of the user is forgotten', (right) => bothForget(right, 'user')),
  engine('the epoch of the server is forgotten', (right) => bothForget(right, 'server')),
  engine('a revoked grant is loaded as active', (right) => ({
    ...seenBy(right, (grant) => ({ ...grant, state: 'active' })),
    commit: (stored, commit, now) =>
      right.commit(commit.kind === 'moveHead' ? withGrant(stored, { state: 'active' }) : stored, commit, now),
  })),
  engine('with its proof, a used token is as good as the head for one generation more (an overlap)', (right) =>
    withLifecycle(right, 'refreshToken', (lifecycle, asked) => {
      const isProven = asked.kind === 'token' && asked.said.proof.key === THE_KEY;
      return {
        ...lifecycle,
        stateOf: (grant: Grant, { token, nonce }: RefreshTokenFacts) => {
          // Of the loaded row; its change obeys the rule, so the engine's own check does not find it.
          const isLoaded = grant.refreshNonce?.[0] !== nonce[0];
          const isOneBehind = grant.state === 'active' && grant.refreshGeneration === token.generation + 1n;
          return isProven && isLoaded && isOneBehind ? 'active' : refreshTokenState(grant, token);
        },
      };
    }),
  ),
  engine('a token ahead of its chain counts as its head', (right) =>
    readsToken(right, (grant, token) => (chainPosition(grant, token) === 'ahead' ? 'active' : null)),
  ),
  engine('only the generation of a token is compared', (right) =>
    readsToken(right, (grant, token) => (grant.refreshGeneration === token.generation ? 'active' : null)),
  ),
  engine('an exchanged code counts as unused while nothing was refreshed', (right) =>
    withLifecycle(right, 'authorizationCode', (lifecycle) => ({
      ...lifecycle,
      stateOf: (grant: Grant, facts: unknown) =>
        grant.state === 'active' && grant.refreshGeneration === 0n ? 'active' : lifecycle.stateOf(grant, facts),
    })),
  ),
];

export const retryEngineMutants: readonly Mutant[] = [
  engine(
    'a retry whose guard did not hold counts as committed',
    (right) =>
      passing(right, {
        reply: (reply, step) => (isCommit(step, 'repeatHead') && reply.kind === 'committed' ? done : reply),
      }),
    'the head was rotated meanwhile: the answer has a used token, as an answer that is late on its way has',
  ),
  engine('a retry draws a new nonce (a second head)', (right) =>
    made(right, 'repeatHead', (after) => withGrant(after, { refreshNonce: new Uint8Array(16).fill(29) })),
  ),
  engine('a retry begins its time again', (right) => ({
    ...right,
    commit: (stored, commit, now) => {
      const after = right.commit(stored, commit, now);
      return after && commit.kind === 'repeatHead' ? withGrant(after, { lastUsedAt: now }) : after;
    },
  })),
  engine('a retry extends the chain', (right) =>
    made(right, 'repeatHead', (after) => withGrant(after, { chainEndsAt: new Date(8.64e15) })),
  ),
  engine('each proven token is taken for the predecessor of the head', (right) =>
    withLifecycle(right, 'refreshToken', (lifecycle) => ({
      ...lifecycle,
      contextOf: (grant: Grant, facts: unknown) => ({ ...lifecycle.contextOf(grant, facts), isPredecessor: true }),
    })),
  ),
  engine('the time of a retry begins at the approval', (right) =>
    withLifecycle(right, 'refreshToken', (lifecycle) => ({
      ...lifecycle,
      contextOf: (grant: Grant, facts: unknown) => ({
        ...lifecycle.contextOf(grant, facts),
        retryEndsAt: grant.createdAt.getTime() + 60_000,
      }),
    })),
  ),
];

function bothForget(right: AuthorizationWalk, whose: 'client' | 'user' | 'server'): AuthorizationWalk {
  const live = { client: 'liveClientEpoch', user: 'liveUserEpoch', server: 'liveServerEpoch' } as const;
  const stored = { client: 'clientEpoch', user: 'userEpoch', server: 'serverEpoch' } as const;
  return {
    ...seenBy(right, (grant) => ({ ...grant, [live[whose]]: grant[stored[whose]] })),
    commit: (row, commit, now) => {
      if (commit.kind !== 'moveHead') return right.commit(row, commit, now);
      const { grant } = row;
      const blind = {
        ...row,
        ...(whose === 'client' && { client: { epoch: grant.clientEpoch, isDeleted: false } }),
        ...(whose === 'user' && { user: { epoch: grant.userEpoch, isDisabled: false } }),
        ...(whose === 'server' && { serverEpoch: grant.serverEpoch }),
      };
      const moved = right.commit(blind, commit, now);
      return moved && { ...row, grant: moved.grant };
    },
  };
}

/** The slips that no lifecycle is spared. */
const everywhere = <Right extends AnyWalk>(name: string): readonly Mutant<Right>[] => [
  engine(`${name}: a lost guard counts as committed`, ignoresConflicts),
  engine(`${name}: a lost answer counts as committed`, believesLostAnswers),
  engine(`${name}: it is answered without a commit`, answersWithoutCommit),
  engine(`${name}: a lost guard is decided again on the first load`, commitsTheFirstDecision),
  engine(`${name}: a commit writes nothing`, writesNothing),
];

export const signInEngineMutants: readonly Mutant<typeof signIns>[] = [
  ...everywhere<typeof signIns>('signIns'),
  engine<typeof signIns>('signIns: a further factor leaves the cookie', (right) => ({
    ...right,
    commit: (stored, commit, now) => {
      if (commit.kind !== 'addFactor') return right.commit(stored, commit, now);
      return right.commit(stored, { ...commit, added: { ...commit.added, idHash: commit.loaded.idHash } }, now);
    },
  })),
];
export const factorEngineMutants: readonly Mutant<typeof factors>[] = [
  ...everywhere<typeof factors>('factors'),
  engine<typeof factors>('factors: a sign-in with a password waits for no factor', (right) => ({
    ...right,
    actions: (modelState) =>
      (right.actions?.(modelState) ?? []).map((action) => ({
        ...action,
        stored: {
          ...action.stored,
          sessions: action.stored.sessions.map((session) =>
            modelState.stored.sessions.includes(session) ? session : { ...session, state: 'active' as const },
          ),
        },
      })),
  })),
  engine<typeof factors>('factors: what one browser proved signs in another', (right) => ({
    ...right,
    requests: (modelState, walk) =>
      right
        .requests(modelState, walk)
        .flatMap((asked): readonly Asked[] =>
          asked.kind === 'session' ? modelState.stored.sessions.map(({ sid }) => ({ ...asked, sid })) : [asked],
        ),
  })),
];
export const externalEngineMutants: readonly Mutant<typeof externalSignIns>[] = [
  ...everywhere<typeof externalSignIns>('external-sign-ins'),
  engine<typeof externalSignIns>('external-sign-ins: a just-in-time user is stored before their identity', (right) => ({
    ...right,
    commit: (stored, commit, now) => {
      const after = right.commit(stored, commit, now);
      return after && changeOf(commit, EXTERNAL_SIGN_INS)
        ? { ...after, linkedIdentities: stored.linkedIdentities }
        : after;
    },
  })),
  engine<typeof externalSignIns>('external-sign-ins: a link is for the end-user of the identity', (right) => ({
    ...right,
    load: (...given) => {
      const loaded = right.load(...given);
      if (!('signIn' in loaded) || loaded.signIn.purpose !== 'link') return loaded;
      const [stored] = given;
      return { ...loaded, user: stored.users.find(({ id }) => id === loaded.identity?.userId) ?? loaded.user };
    },
  })),
];
export const codeEngineMutants: readonly Mutant<typeof signInCodes>[] = everywhere<typeof signInCodes>('sign-in-codes');
export const keyEngineMutants: readonly Mutant<typeof signingKeys>[] = [
  ...everywhere<typeof signingKeys>('signingKeys'),
  engine<typeof signingKeys>('signingKeys: no private half is ever erased', (right) => ({
    ...right,
    commit: (stored, commit, now) => {
      const after = right.commit(stored, commit, now);
      return after && { keys: after.keys.map((key) => ({ ...key, privateJwe: 'sealed' })) };
    },
  })),
];
export const administrationEngineMutants: readonly Mutant<typeof administration>[] = [
  ...everywhere<typeof administration>('administration'),
  engine<typeof administration>('administration: the ledger entry names no actor', (right) =>
    withLifecycle(right, 'client', (lifecycle) => ({ ...lifecycle, ledgerFacts: () => ({}) })),
  ),
  engine<typeof administration>('administration: a deletion leaves the claims', (right) =>
    withLifecycle(right, 'user', (lifecycle) => ({
      ...lifecycle,
      changes: {
        ...lifecycle.changes,
        eraseUser: (row: UserRow, facts: unknown, params: undefined) => {
          const erased: UserRow | undefined = lifecycle.changes.eraseUser?.(row, facts, params);
          return { user: erased?.user ? { ...erased.user, claims: row.user?.claims ?? {} } : null };
        },
      },
    })),
  ),
];
export const deliveryEngineMutants: readonly Mutant<typeof webhookDeliveries>[] = [
  ...everywhere<typeof webhookDeliveries>('webhookDeliveries'),
  engine<typeof webhookDeliveries>('webhookDeliveries: claims are not counted', (right) => ({
    ...right,
    commit: (stored, commit, now) => {
      const [delivery] = right.commit(stored, commit, now)?.webhookDeliveries ?? [];
      return delivery ? { webhookDeliveries: [{ ...delivery, attempts: Math.min(delivery.attempts, 2) }] } : null;
    },
  })),
  engine<typeof webhookDeliveries>('webhookDeliveries: a commit asks for nothing', (right) => ({
    ...right,
    commit: (stored, commit, now) => right.commit(stored, commit, now, new Set(factNames(commit))),
  })),
  engine<typeof webhookDeliveries>('webhookDeliveries: a receiver that is gone counts as confirmed', (right) => ({
    ...right,
    requestOf: (asked, draw) =>
      right.requestOf(
        asked.kind === 'report' && asked.outcome === 'gone' ? { ...asked, outcome: 'delivered' } : asked,
        draw,
      ),
  })),
];

export const mailEngineMutants: readonly Mutant<typeof mails>[] = [
  ...everywhere<typeof mails>('mails'),
  engine<typeof mails>('mails: claims are not counted', (right) => ({
    ...right,
    commit: (stored, commit, now) => {
      const [mail] = right.commit(stored, commit, now)?.mails ?? [];
      return mail ? { mails: [{ ...mail, attempts: Math.min(mail.attempts, 2) }] } : null;
    },
  })),
  engine<typeof mails>('mails: a commit asks for nothing', (right) => ({
    ...right,
    commit: (stored, commit, now) => right.commit(stored, commit, now, new Set(factNames(commit))),
  })),
  engine<typeof mails>('mails: a refusal counts as accepted', (right) => ({
    ...right,
    requestOf: (asked, draw) =>
      right.requestOf(
        asked.kind === 'report' && asked.outcome === 'refused' ? { ...asked, outcome: 'succeeded' } : asked,
        draw,
      ),
  })),
  engine<typeof mails>('mails: a mail that loses its place counts as refused', (right) => ({
    ...right,
    requestOf: (asked, draw) =>
      right.requestOf(asked.kind === 'displace' ? { kind: 'report', outcome: 'refused', claim: 0 } : asked, draw),
  })),
  engine<typeof mails>('mails: the contents stay', (right) => ({
    ...right,
    commit: (stored, commit, now) => {
      const [mail] = right.commit(stored, commit, now)?.mails ?? [];
      const [{ sealedContents }] = stored.mails;
      return mail ? { mails: [{ ...mail, sealedContents }] } : null;
    },
  })),
];
