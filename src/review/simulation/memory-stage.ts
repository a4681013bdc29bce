/** The stage without a server: the engine's own steps and machines, one authorization in memory, a clock that obeys. */
import { StoreUnavailable, Unavailable } from '../../engine/errors.ts';
import type { Told } from '../../engine/run.ts';
import type { GrantCommit } from '../../lifecycles/grant.ts';
import { refreshTokenWouldIssue } from '../../lifecycles/refresh-token.ts';
import { endedBy, grantState, REASON_OF_EPOCH } from '../../model/grant.ts';
import { codeEndsAt, type Lifetimes } from '../../model/lifetimes.ts';
import {
  APPROVED_AT,
  allOfIt,
  approved,
  CHALLENGE,
  CLIENT,
  OTHER_CLIENT,
  REDIRECT_URI,
} from '../proof/authorizations/beginning.ts';
import { REVOCATION } from '../proof/authorizations/requests.ts';
import type { Authorization } from '../proof/authorizations/store.ts';
import type { Asked, AuthorizationWalk, Terms, Token } from '../proof/authorizations/terms.ts';
import { authorizations } from '../proof/authorizations/walk.ts';
import type { Actor, Fate, Resource } from './scenario.ts';
import type { Answer, Stage, Statement, UnderWay } from './stage.ts';

/** The code, or a refresh token as it left. */
export type MemoryCredential = 'code' | Token;

type Sent = UnderWay<MemoryCredential>;
type Loaded = Terms['loaded'];

const API: Readonly<Record<Resource, string>> = { api: 'https://api.example', files: 'https://files.example' };
const identifiers = (resources: readonly Resource[] | null) => resources?.map((one) => API[one]) ?? null;

/** @param walk tests put a wrong machine or store into it, to see a scenario fail. */
export function memoryStage(
  lifetimes: Lifetimes,
  walk: AuthorizationWalk = authorizations(lifetimes),
): Stage<MemoryCredential> {
  let now = APPROVED_AT;
  let stored = approved(lifetimes);
  let draws = 0;

  const load = (asked: Asked) => walk.load(stored, asked, new Date(now), false);
  /** @returns whether it changed anything. */
  const settle = (commit: GrantCommit): boolean => {
    const changed = walk.commit(stored, commit, new Date(now));
    if (changed) stored = changed;
    return changed !== null;
  };
  /** A client that was deleted cannot authenticate any more; that is seen after the load, before any machine is asked. */
  const isUnknown = (actor: Actor) => actor.name !== 'another client' && stored.client.isDeleted;

  /** Loaded now; to its end when the scenario says so. */
  const send = (asked: Asked, fate: Fate | null): Sent => {
    const first = load(asked);
    const draw = ++draws;
    return {
      statements: LOADED,
      finish: async () => {
        const statements: Statement[] = [];
        const storage = unreliable(fate, settle, statements);
        try {
          const steps = walk.running(first, walk.requestOf(asked, draw), walk.machineOf);
          let next = steps.next();
          while (!next.done) {
            const told: Told<Loaded> =
              next.value.kind === 'commit' ? storage.commit(next.value.commit) : storage.load(() => load(asked));
            next = steps.next(told);
          }
          return { statements, answer: answerOf(next.value) };
        } catch (error) {
          return { statements, answer: unavailableOf(error) };
        }
      },
    };
  };

  const present: Stage<MemoryCredential>['present'] = async (actor, action, fate) => {
    if (isUnknown(actor)) return ended(LOADED, UNKNOWN);
    const { credential, verifier, redirectUri, scope } = action;
    const [{ clientId }, resources] = [clientOf(actor), identifiers(action.resources)];
    const asked: Asked =
      credential === 'code'
        ? {
            kind: 'code',
            credential,
            said: {
              clientId,
              redirectUri: { right: REDIRECT_URI, wrong: `${REDIRECT_URI}/elsewhere`, none: null }[redirectUri],
              challengeOfVerifier: verifier === 'right' ? CHALLENGE : 'the challenge of another verifier',
              resources,
            },
          }
        : { kind: 'token', credential: 0, token: credential, said: { clientId, scope, resources } };
    return send(asked, fate);
  };

  const revoke: Stage<MemoryCredential>['revoke'] = async (actor, { credential }, fate) => {
    const isOwner = actor.name === 'resource owner';
    // A disabled end-user cannot sign in to end anything; by then there is nothing left to end.
    if (isOwner && stored.user.isDisabled) return ended(LOADED, DONE);
    if (!isOwner && isUnknown(actor)) return ended(LOADED, UNKNOWN);
    // Another client's token is left alone, and a code is no token (src/protocol/sent-token.ts).
    if (actor.name === 'another client' || credential === 'code') return ended(LOADED, DONE);
    return send(REVOCATION, fate);
  };

  return {
    now: () => now - APPROVED_AT,
    setNow: (milliseconds) => {
      now = APPROVED_AT + milliseconds;
    },
    endOf: async (end) => {
      const { createdAt, lastUsedAt } = stored.grant;
      const started = createdAt.getTime() - APPROVED_AT;
      if (end === 'code') return started + lifetimes.authorizationCodeLifetimeSeconds * 1000;
      if (lastUsedAt === null) return null;
      if (end === 'absolute') return started + lifetimes.refreshAbsoluteLifetimeSeconds * 1000;
      return lastUsedAt.getTime() - APPROVED_AT + lifetimes.refreshIdleLifetimeSeconds * 1000;
    },
    approve: async ({ scope, resources }) => {
      stored = { ...stored, grant: { ...stored.grant, scope, resources: identifiers(resources) ?? [] } };
      return 'code';
    },
    present,
    revoke,
    operate: async (deed) => {
      stored = DEEDS[deed](stored);
    },
    chain: async () => {
      const { grant } = load(REVOCATION);
      if (grantState(grant) === 'revoked') {
        const by = endedBy(grant);
        return { alive: false, reason: grant.state === 'revoked' ? grant.revokedReason : by && REASON_OF_EPOCH[by] };
      }
      const { refreshGeneration: generation, refreshNonce: nonce } = grant;
      const alive =
        generation === null || nonce === null
          ? now < codeEndsAt(grant, lifetimes)
          : refreshTokenWouldIssue(grant, { generation, nonce }, new Date(now), lifetimes, allOfIt(grant));
      return { alive, reason: alive ? null : 'expired' };
    },
  };
}

const LOADED: readonly Statement[] = [{ kind: 'load', again: false }];
const clientOf = ({ name }: Actor) => (name === 'another client' ? OTHER_CLIENT : CLIENT);

const UNKNOWN: Answer<MemoryCredential> = { kind: 'refused', reason: 'client_unknown' };
const DONE: Answer<MemoryCredential> = { kind: 'done' };
const ended = (statements: readonly Statement[], answer: Answer<MemoryCredential>): Sent => ({
  statements,
  finish: async () => ({ statements: [], answer }),
});

function answerOf(outcome: Terms['answer']): Answer<MemoryCredential> {
  if (typeof outcome === 'boolean') return DONE;
  if (outcome.kind === 'rejected') return { kind: 'refused', reason: outcome.reason };
  return { kind: 'tokens', credential: outcome.issued };
}

/** @throws whatever else went wrong: a defect that the engine found in itself. */
function unavailableOf(error: unknown): Answer<MemoryCredential> {
  if (error instanceof Unavailable) return { kind: 'unavailable', reason: error.reason };
  // Nobody hears of it.
  if (error instanceof Died) return { kind: 'unavailable', reason: 'crashed' };
  throw error;
}
class Died extends Error {}

/** The database as one request finds it: its first commit meets the fate of the step. */
function unreliable(fate: Fate | null, settle: (commit: GrantCommit) => boolean, statements: Statement[]) {
  let left = fate;
  let away = false;
  const note = (commit: GrantCommit, came: Extract<Statement, { kind: 'commit' }>['came']) =>
    statements.push({ kind: 'commit', what: commit.kind === 'moveHead' ? 'tokens' : 'revocation', came });
  return {
    commit: (commit: GrantCommit): Told<Loaded> => {
      const met = left;
      left = null;
      switch (met) {
        case 'crash before commit':
          throw new Died();
        case 'database away':
          note(commit, 'notSent');
          return { kind: 'unavailable', error: new StoreUnavailable(false) };
        case 'commit lost':
          note(commit, 'lost');
          return { kind: 'unavailable', error: new StoreUnavailable(true) };
        case 'commit answer lost':
        case 'commit unknown':
          away = met === 'commit unknown';
          note(commit, settle(commit) ? 'answerLost' : 'guardLost');
          return { kind: 'unavailable', error: new StoreUnavailable(true) };
        default: {
          const committed = settle(commit);
          note(commit, committed ? 'held' : 'guardLost');
          if (met === 'crash after commit') throw new Died();
          return { kind: 'committed', committed };
        }
      }
    },
    load: (load: () => Loaded): Told<Loaded> => {
      if (away) return { kind: 'unavailable', error: new StoreUnavailable(false) };
      statements.push({ kind: 'load', again: true });
      return { kind: 'loaded', loaded: load() };
    },
  };
}

/** Epochs only rise (src/storage): undoing revives nothing. */
const DEEDS: Readonly<Record<Parameters<Stage<unknown>['operate']>[0], (stored: Authorization) => Authorization>> = {
  'disable the resource owner': (stored) => ({
    ...stored,
    user: { epoch: stored.user.epoch + 1n, isDisabled: true },
  }),
  'enable the resource owner': (stored) => ({ ...stored, user: { ...stored.user, isDisabled: false } }),
  'delete the client': (stored) => ({
    ...stored,
    client: { epoch: stored.client.epoch + 1n, isDeleted: true },
  }),
  'register the client again': (stored) => ({ ...stored, client: { ...stored.client, isDeleted: false } }),
  recover: (stored) => ({ ...stored, serverEpoch: stored.serverEpoch + 1n }),
};
