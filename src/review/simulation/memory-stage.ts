/**
 * The stage without a server: the engine's own steps and machines, one authorization and one end-user in memory, a clock that obeys.
 * Codes and tokens are presented here; what people do in browsers is in people/.
 */
import { StoreUnavailable, Unavailable } from '../../engine/errors.ts';
import type { Told } from '../../engine/run.ts';
import type { GrantCommit } from '../../lifecycles/grant.ts';
import { refreshTokenWouldIssue } from '../../lifecycles/refresh-token.ts';
import { endedBy, grantState, REASON_OF_EPOCH } from '../../model/grant.ts';
import { codeEndsAt } from '../../model/lifetimes.ts';
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
import type { Asked, AuthorizationWalk, Terms, Token } from '../proof/authorizations/terms.ts';
import { authorizations } from '../proof/authorizations/walk.ts';
import { byOperator } from './people/account.ts';
import { act } from './people/acts.ts';
import { approve } from './people/approvals.ts';
import { newWorld } from './people/beginning.ts';
import { signsInAsAsked } from './people/enter.ts';
import { sessionSeen } from './people/sessions.ts';
import type { PersonalThing } from './people/world.ts';
import type { Actor, Approving, Fate, Operating, Resource, Scenario } from './scenario.ts';
import type { Answer, Stage, Statement, UnderWay } from './stage.ts';

/** The code, a refresh token as it left, or a thing that a person has. */
export type MemoryCredential = 'code' | Token | PersonalThing;

type Sent = UnderWay<MemoryCredential>;
type Loaded = Terms['loaded'];

const API: Readonly<Record<Resource, string>> = { api: 'https://api.example', files: 'https://files.example' };
const identifiers = (resources: readonly Resource[] | null) => resources?.map((one) => API[one]) ?? null;

/** What a consent page is about, where nothing else is said. */
const ACCESS: Pick<Approving, 'scope' | 'resources'> = { scope: ['read', 'write'], resources: ['api'] };

/** @param walk tests put a wrong machine or store into it, to see a scenario fail. */
export function memoryStage(
  { lifetimes, signIn }: Pick<Scenario, 'lifetimes' | 'signIn'>,
  walk: AuthorizationWalk = authorizations(lifetimes),
): Stage<MemoryCredential> {
  let now = APPROVED_AT;
  let stored = approved(lifetimes);
  let isApproved = false;
  let draws = 0;
  const world = newWorld({ lifetimes, signIn, machineOf: walk.machineOf, now: () => new Date(now) });

  /** The authorization depends on the same end-user and the same server. */
  const follow = () => {
    const { user, serverEpoch } = world.rows;
    stored = { ...stored, user: { epoch: user.epoch, isDisabled: user.disabledAt !== null }, serverEpoch };
  };

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
    if (credential !== 'code' && 'kind' in credential) throw new Error(`No client presents a ${credential.kind}.`);
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

  /** Epochs only rise (src/storage): undoing revives nothing. */
  const OPERATIONS: Readonly<Record<Operating['deed'], () => void>> = {
    'disable the resource owner': () => byOperator(world, 'disableRequested'),
    'enable the resource owner': () => byOperator(world, 'enableRequested'),
    'delete the client': () => {
      stored = { ...stored, client: { epoch: stored.client.epoch + 1n, isDeleted: true } };
    },
    'register the client again': () => {
      stored = { ...stored, client: { ...stored.client, isDeleted: false } };
    },
    recover: () => {
      world.rows = { ...world.rows, serverEpoch: world.rows.serverEpoch + 1n };
    },
  };

  return {
    now: () => now - APPROVED_AT,
    setNow: (milliseconds) => {
      now = APPROVED_AT + milliseconds;
    },
    endOf: async (end) => {
      if (!isApproved) return null;
      const { createdAt, lastUsedAt } = stored.grant;
      const started = createdAt.getTime() - APPROVED_AT;
      if (end === 'code') return started + lifetimes.authorizationCodeLifetimeSeconds * 1000;
      if (lastUsedAt === null) return null;
      if (end === 'absolute') return started + lifetimes.refreshAbsoluteLifetimeSeconds * 1000;
      return lastUsedAt.getTime() - APPROVED_AT + lifetimes.refreshIdleLifetimeSeconds * 1000;
    },
    approve: async (actor, action) => {
      // Without a name for the browser, a sign-in in it is no step of its own.
      const terms = { resources: identifiers(action.resources) ?? [], signsIn: signsInAsAsked(actor) };
      const made = answered(() => approve(world, actor, action, terms));
      if ('kind' in made) return made.kind === 'refused' || made.kind === 'unavailable' ? made : unexpected(made);
      follow();
      stored = { ...stored, grant: made };
      isApproved = true;
      return { kind: 'code', credential: 'code' };
    },
    present,
    revoke,
    operate: async (deed) => {
      OPERATIONS[deed]();
      follow();
    },
    act: async (actor, action, thing) => {
      const access = { scope: ACCESS.scope, resources: identifiers(ACCESS.resources) ?? [], requiredClass: null };
      const answer = answered(() => act(world, actor, action, personal(thing), access));
      follow();
      return answer;
    },
    session: async (actor) => sessionSeen(world, actor),
    chain: async () => {
      if (!isApproved) return null;
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

const personal = (thing: MemoryCredential | null): PersonalThing | null =>
  thing !== null && thing !== 'code' && 'kind' in thing ? thing : null;

function unexpected(answer: { readonly kind: string }): never {
  throw new Error(`An approval does not answer ${answer.kind}.`);
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

/** A guard of the store does not hold, whatever the machine decides: the page says 503. */
function answered<Value>(carryOut: () => Value): Value | Extract<Answer<never>, { kind: 'unavailable' }> {
  try {
    return carryOut();
  } catch (error) {
    if (error instanceof Unavailable) return { kind: 'unavailable', reason: error.reason };
    throw error;
  }
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
