/** The stage without a server: the engine's own steps and machines, one authorization in memory, a clock that obeys. */

import { refreshTokenWouldIssue } from '../../engine/engine.ts';
import { StoreUnavailable, Unavailable } from '../../engine/errors.ts';
import type { Step, StepAnswer } from '../../engine/present.ts';
import { endedBy, grantState } from '../../model/grant.ts';
import { codeEndsAt, type Lifetimes } from '../../model/lifetimes.ts';
import { APPROVED_AT, beginning, CHALLENGE, CLIENT, OTHER_CLIENT, REDIRECT_URI } from '../proof/beginning.ts';
import type { Authorization } from '../proof/memory-store.ts';
import { nonceBytes, WAYS } from '../proof/rightly.ts';
import { carryOut, type System, systemOf } from '../proof/system.ts';
import type { Actor, Fate, Resource } from './scenario.ts';
import type { Answer, Stage, Statement, UnderWay } from './stage.ts';

/** The code, or the place of a refresh token in its chain. */
export type MemoryCredential = 'code' | { readonly generation: bigint; readonly nonce: Uint8Array };

type Sent = UnderWay<MemoryCredential>;
type Commit = Extract<Step, { kind: 'commit' }>['commit'];

const API: Readonly<Record<Resource, string>> = { api: 'https://api.example', files: 'https://files.example' };
const identifiers = (resources: readonly Resource[] | null) => resources?.map((one) => API[one]) ?? null;

/** @param system tests put a wrong machine or store into it, to see a scenario fail. */
export function memoryStage(lifetimes: Lifetimes, system: System = systemOf(lifetimes)): Stage<MemoryCredential> {
  let now = APPROVED_AT;
  let { stored } = beginning(lifetimes, { presentations: 0, inFlight: 0, disturbances: 0 });
  let draws = 0;

  const load = (actor: Actor) => system.loadPresentation(stored, clientOf(actor), new Date(now));
  /** @returns whether it changed anything. */
  const keep = (changed: Authorization | null): boolean => {
    if (changed) stored = changed;
    return changed !== null;
  };
  const settle = (commit: Commit) => keep(carryOut(system, stored, now, commit));
  /** A client that was deleted cannot prove itself any more; that is seen after the load, before any machine is asked. */
  const isUnknown = (actor: Actor) => actor.name !== 'another client' && stored.client.isDeleted;

  const present: Stage<MemoryCredential>['present'] = async (actor, action, fate) => {
    const first = load(actor);
    const loaded: Statement[] = [{ kind: 'load', again: false }];
    if (isUnknown(actor)) return ended(loaded, UNKNOWN);
    const { credential, verifier, redirectUri, scope } = action;
    const [clientId, resources] = [first.client.clientId, identifiers(action.resources)];
    const presentation =
      credential === 'code'
        ? system.codePresentation(
            {
              clientId,
              redirectUri: { right: REDIRECT_URI, wrong: `${REDIRECT_URI}/elsewhere`, none: null }[redirectUri],
              challengeOfVerifier: verifier === 'right' ? CHALLENGE : 'the challenge of another verifier',
              resources,
            },
            WAYS,
            system.machines,
          )
        : system.tokenPresentation(credential, { clientId, scope, resources }, WAYS, system.machines);
    const nonce = nonceBytes(++draws);
    return {
      statements: loaded,
      finish: async () => {
        const statements: Statement[] = [];
        const storage = unreliable(fate, settle, statements);
        try {
          const steps = system.presenting({ lifetimesOf: () => lifetimes }, first, presentation, nonce);
          let next = steps.next();
          while (!next.done) {
            const answer: StepAnswer =
              next.value.kind === 'commit' ? storage.commit(next.value.commit) : storage.load(() => load(actor));
            next = steps.next(answer);
          }
          const outcome = next.value;
          if (outcome.kind === 'rejected') return { statements, answer: { kind: 'refused', reason: outcome.reason } };
          const { generation, nonce: drawn } = outcome.issued;
          return { statements, answer: { kind: 'tokens', credential: { generation, nonce: drawn } } };
        } catch (error) {
          return { statements, answer: unavailableOf(error) };
        }
      },
    };
  };

  const revoke: Stage<MemoryCredential>['revoke'] = async (actor, { credential }, fate) => {
    const loaded: Statement[] = [{ kind: 'load', again: false }];
    const isOwner = actor.name === 'resource owner';
    // Whoever is disabled cannot sign in to end anything; by then there is nothing left to end.
    if (isOwner && stored.user.isDisabled) return ended(loaded, DONE);
    if (!isOwner && isUnknown(actor)) return ended(loaded, UNKNOWN);
    // Another client's token is left alone, and a code is no token (src/protocol/sent-token.ts).
    if (actor.name === 'another client' || credential === 'code') return ended(loaded, DONE);
    const first = load(actor);
    return {
      statements: loaded,
      finish: async () => {
        const statements: Statement[] = [];
        const storage = unreliable(fate, settle, statements);
        try {
          const steps = system.revoking(first, 'revocationRequested', system.machines.grant);
          let next = steps.next();
          while (!next.done) {
            const step = next.value;
            const answer =
              step.kind === 'revoke'
                ? storage.commit({ kind: 'revoke', revocation: step.revocation })
                : storage.load(() => load(actor));
            // As revokeGrant of src/engine/revoke.ts: asking again is safe, so nothing is found out.
            if (answer.kind === 'unavailable')
              throw new Unavailable(answer.error.maybeCommitted ? 'commit_unknown' : 'store_unavailable');
            next = steps.next(answer.kind === 'committed' ? answer.committed : answer.loaded);
          }
          return { statements, answer: DONE };
        } catch (error) {
          return { statements, answer: unavailableOf(error) };
        }
      },
    };
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
      const { grant } = load(CLIENT_ITSELF);
      if (grantState(grant) === 'revoked') {
        const by = endedBy(grant);
        return { alive: false, reason: grant.state === 'revoked' ? grant.revokedReason : by && REASON_OF_END[by] };
      }
      const { refreshGeneration: generation, refreshNonce: nonce } = grant;
      const alive =
        generation === null || nonce === null
          ? now < codeEndsAt(grant, lifetimes)
          : refreshTokenWouldIssue(grant, { generation, nonce }, new Date(now), lifetimes);
      return { alive, reason: alive ? null : 'expired' };
    },
  };
}

const CLIENT_ITSELF: Actor = { name: 'client', place: null };
const clientOf = ({ name }: Actor) => (name === 'another client' ? OTHER_CLIENT : CLIENT);

const REASON_OF_END = { client: 'client_ended', user: 'user_ended', server: 'server_epoch_raised' } as const;

const UNKNOWN: Answer<MemoryCredential> = { kind: 'refused', reason: 'client_unknown' };
const DONE: Answer<MemoryCredential> = { kind: 'done' };
const ended = (statements: readonly Statement[], answer: Answer<MemoryCredential>): Sent => ({
  statements,
  finish: async () => ({ statements: [], answer }),
});

/** @throws whatever else went wrong: a defect that the engine found in itself. */
function unavailableOf(error: unknown): Answer<MemoryCredential> {
  if (error instanceof Unavailable) return { kind: 'unavailable', reason: error.reason };
  // Nobody hears of it.
  if (error instanceof Died) return { kind: 'unavailable', reason: 'crashed' };
  throw error;
}
class Died extends Error {}

/** The database as one request finds it: its first commit meets the fate of the step. */
function unreliable(fate: Fate | null, settle: (commit: Commit) => boolean, statements: Statement[]) {
  let left = fate;
  let away = false;
  const note = (commit: Commit, came: Extract<Statement, { kind: 'commit' }>['came']) =>
    statements.push({ kind: 'commit', what: commit.kind === 'moveHead' ? 'tokens' : 'revocation', came });
  return {
    commit: (commit: Commit): StepAnswer => {
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
    load: (load: () => Extract<StepAnswer, { kind: 'loaded' }>['loaded']): StepAnswer => {
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
