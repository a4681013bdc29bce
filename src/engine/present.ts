/**
 * One presentation of a code or a refresh token: load → decide → commit.
 *
 *   load     the row and the database's now(), no lock (done by the caller, who also authenticates the client)
 *   decide   the machine's answer to the event, as data
 *   check    the effects, applied to the row, must derive to the machine's next state: the machine is no decoration
 *   commit   one guarded statement with its ledger entries; a lost guard means: load and decide again
 */
import type { AnyStateMachine } from 'xstate';
import type { TokenClient } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { grantState, sameBytes } from '../model/grant.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import { type Lifetimes, nextChainEndsAt } from '../model/lifetimes.ts';
import { applyEffects, type Draw } from './apply.ts';
import { type Decision, decide, decideGrant, effectOf } from './decide.ts';
import { InvariantViolation, StoreUnavailable, Unavailable } from './errors.ts';
import type { Outcome } from './outcome.ts';
import type { GrantStore, HeadMove, Loaded, Revocation } from './ports.ts';

export type EngineDeps = {
  readonly store: GrantStore;
  /** Random bytes: 16 for a nonce. */
  readonly random: (size: number) => Uint8Array;
  readonly lifetimesOf: (client: TokenClient) => Lifetimes;
  /** Milliseconds; waits between reloads after an ambiguous commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** What tells a code from a refresh token. */
export type Presentation<Issued> = {
  readonly machine: AnyStateMachine;
  /** What ends chains: a reuse is an event to it. */
  readonly grantMachine: AnyStateMachine;
  readonly stateOf: (grant: Grant) => string;
  readonly contextOf: (grant: Grant, lifetimes: Lifetimes) => { readonly endsAt: number };
  readonly eventAt: (now: Date) => { readonly type: 'presented' };
  readonly reload: () => Promise<Loaded>;
  /** Signs and encodes the tokens of `next`, the row as it will be. Whatever can fail, fails here, before the commit. */
  readonly mint: (next: Grant, now: Date, client: TokenClient) => Issued;
};

/** A presentation that names a stored grant and comes from a client that exists. */
export type Present = Loaded & { readonly client: TokenClient; readonly grant: Grant };

const MAX_ATTEMPTS = 5;

/** What the engine wants of the world next. Which one, and what follows from the answer, is decided here and nowhere else. */
export type Step =
  | { readonly kind: 'commit'; readonly commit: Commit }
  /** `afterLostCommit`: it is worth waiting, since what happened can be known only from the row. */
  | { readonly kind: 'load'; readonly afterLostCommit: boolean };

/** One guarded statement. */
export type Commit =
  | { readonly kind: 'moveHead'; readonly move: HeadMove }
  | { readonly kind: 'revoke'; readonly revocation: Revocation };

/** What the world answers to a step. */
export type StepAnswer =
  /** False: the guard did not hold, and nothing changed. */
  | { readonly kind: 'committed'; readonly committed: boolean }
  | { readonly kind: 'loaded'; readonly loaded: Present }
  | { readonly kind: 'unavailable'; readonly error: StoreUnavailable };

/** @throws Unavailable when the store cannot be reached, does not settle, or its commit cannot be known. */
export async function present<Issued>(
  deps: EngineDeps,
  first: Present,
  presentation: Presentation<Issued>,
): Promise<Outcome<Issued>> {
  const steps = presenting(deps, first, presentation, deps.random(16));
  let next = steps.next();
  while (!next.done) next = steps.next(await perform(deps, presentation, next.value));
  return next.value;
}

/**
 * The same without a world: asks for a step, is told what came of it, goes on. So whoever reviews (src/review) can walk
 * through every order in which the steps of several presentations can fall, with the very code that serves requests.
 */
export function* presenting<Issued>(
  deps: Pick<EngineDeps, 'lifetimesOf'>,
  first: Present,
  presentation: Presentation<Issued>,
  nonce: Uint8Array,
): Generator<Step, Outcome<Issued>, StepAnswer> {
  let loaded = first;
  let lost: StoreUnavailable | null = null;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const plan = planOf(deps, loaded, presentation, nonce);
    const issued = plan.issues ? presentation.mint(plan.next, loaded.now, loaded.client) : null;
    const commit = commitOf(plan);
    if (commit === null) return outcomeOf(plan, issued);
    const answer = yield { kind: 'commit', commit };
    if (answer.kind === 'committed' && answer.committed) return outcomeOf(plan, issued);
    if (answer.kind === 'unavailable') {
      if (answer.error.maybeCommitted) lost = answer.error;
      if (lost === null) throw new Unavailable('store_unavailable', { cause: answer.error });
    }
    const again = yield { kind: 'load', afterLostCommit: lost !== null };
    if (again.kind !== 'loaded') {
      throw new Unavailable(lost ? 'commit_unknown' : 'store_unavailable', lost ? { cause: lost } : {});
    }
    loaded = again.loaded;
    // Nobody else can have drawn this nonce: it did commit, and only the answer got lost. Had it not (or not yet),
    // the same guarded swap with the same nonce is safe to send again.
    if (issued !== null && sameBytes(loaded.grant.refreshNonce, nonce) && grantState(loaded.grant) === 'active') {
      return { kind: 'issued', issued };
    }
  }
  throw new Unavailable(lost ? 'commit_unknown' : 'too_many_conflicts', lost ? { cause: lost } : {});
}

async function perform<Issued>(deps: EngineDeps, presentation: Presentation<Issued>, step: Step): Promise<StepAnswer> {
  if (step.kind === 'load') return reload(deps, presentation, step.afterLostCommit);
  const { commit } = step;
  try {
    const committed = await (commit.kind === 'moveHead'
      ? deps.store.moveHead(commit.move)
      : deps.store.revoke(commit.revocation));
    return { kind: 'committed', committed };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return { kind: 'unavailable', error };
  }
}

type Plan = {
  readonly before: Present;
  readonly next: Grant;
  readonly decisions: readonly Decision[];
  readonly issues: boolean;
  readonly endsAt: Date;
  readonly policy: string;
};

function planOf<Issued>(
  deps: Pick<EngineDeps, 'lifetimesOf'>,
  loaded: Present,
  presentation: Presentation<Issued>,
  nonce: Uint8Array,
): Plan {
  const { grant, now, client } = loaded;
  const lifetimes = deps.lifetimesOf(client);
  const draw: Draw = { now, nonce, nextChainEndsAt: new Date(nextChainEndsAt(grant, now, lifetimes)) };

  const context = presentation.contextOf(grant, lifetimes);
  const decision = decide(presentation.machine, presentation.stateOf(grant), context, presentation.eventAt(now));
  const revoke = effectOf(decision, 'revokeGrant');
  const ofGrant = revoke ? decideGrant(presentation.grantMachine, grantState(grant), revoke.params.event) : null;
  const decisions = ofGrant ? [decision, ofGrant] : [decision];

  const next = applyEffects(
    grant,
    decisions.flatMap((one) => one.effects),
    draw,
  );
  const issues = effectOf(decision, 'issueTokens') !== undefined;
  requireSameState(decision, presentation.stateOf(next));
  if (ofGrant) requireSameState(ofGrant, grantState(next));
  requireHonestIssue(decision, issues, grant, next);
  return { before: loaded, next, decisions, issues, endsAt: new Date(context.endsAt), policy: lifetimes.name };
}

function requireSameState(decision: Decision, derived: string): void {
  if (derived !== decision.to) {
    throw new InvariantViolation(
      `${decision.machine}: the machine says ${decision.to}, the row that its effects make says ${derived}`,
    );
  }
}

/** Tokens leave exactly when the head moves, out of an active state; a revocation never comes with tokens. */
function requireHonestIssue(decision: Decision, issues: boolean, before: Grant, next: Grant): void {
  const moved = next.refreshGeneration !== before.refreshGeneration;
  if (issues !== moved || (issues && (decision.from !== 'active' || next.state !== 'active'))) {
    throw new InvariantViolation(`${decision.machine}: ${decision.event} in ${decision.from} must not issue like this`);
  }
}

/** @returns null when nothing is to be written. */
function commitOf(plan: Plan): Commit | null {
  const { before, next, endsAt, policy } = plan;
  const entries = plan.decisions.filter((one) => one.from !== one.to).map((one) => entryOf(one, plan));
  if (next.refreshGeneration !== null && next.refreshNonce !== null && next.chainEndsAt !== null && plan.issues) {
    const [entry] = entries;
    if (!entry) throw new InvariantViolation('tokens would be issued without a change of state');
    const { refreshGeneration: generation, refreshNonce: nonce, chainEndsAt } = next;
    const move = { loaded: before.grant, now: before.now, generation, nonce, chainEndsAt, endsAt, policy, entry };
    return { kind: 'moveHead', move };
  }
  const reason = plan.decisions.map((one) => effectOf(one, 'writeRevoked')).find(Boolean)?.params.reason;
  if (reason) {
    const { id: grantId, clientId } = before.grant;
    return { kind: 'revoke', revocation: { grantId, now: before.now, reason, clientId, policy, entries } };
  }
  if (entries.length > 0) throw new InvariantViolation('a state would change without a commit');
  return null;
}

function entryOf(decision: Decision, plan: Plan): LedgerEntry {
  const reason =
    effectOf(decision, 'reject')?.params.reason ?? effectOf(decision, 'writeRevoked')?.params.reason ?? null;
  const { machine, event, from, to } = decision;
  return { machine, event, from, to, reason, generation: plan.next.refreshGeneration };
}

function outcomeOf<Issued>(plan: Plan, issued: Issued | null): Outcome<Issued> {
  if (plan.issues && issued !== null) return { kind: 'issued', issued };
  const [decision] = plan.decisions;
  const rejected = decision && effectOf(decision, 'reject');
  if (!rejected) throw new InvariantViolation('neither tokens nor a refusal');
  return { kind: 'rejected', reason: rejected.params.reason, revoked: plan.next.state !== plan.before.grant.state };
}

const NO_WAIT = [0] as const;
const WAITS_AFTER_LOST_COMMIT_MILLISECONDS = [0, 200, 1000] as const;

async function reload<Issued>(
  deps: EngineDeps,
  presentation: Presentation<Issued>,
  afterLostCommit: boolean,
): Promise<StepAnswer> {
  let unavailable: StoreUnavailable | null = null;
  for (const wait of afterLostCommit ? WAITS_AFTER_LOST_COMMIT_MILLISECONDS : NO_WAIT) {
    if (wait > 0) await deps.sleep(wait);
    try {
      const { client, grant, ...rest } = await presentation.reload();
      // Rows of `grants` are deleted only long after their chain has ended, and those of `clients` never.
      if (!client || !grant) throw new InvariantViolation('a grant or its client vanished while it was presented');
      return { kind: 'loaded', loaded: { ...rest, client, grant } };
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      unavailable = error;
    }
  }
  return { kind: 'unavailable', error: unavailable ?? new StoreUnavailable(false) };
}
