/**
 * The presentation of a code or a refresh token: both derive from the grant's row, and lead to tokens, to a rejection, or to the
 * end of the chain.
 */
import type { Proof, TokenRejectReason } from '../../machines/shared/facts.ts';
import { type ProofDemanded, proofGuards, rejectUnproven } from '../../machines/shared/proof.ts';
import { effectOf } from '../engine/decide.ts';
import { InvariantViolation } from '../engine/errors.ts';
import { type Lifecycle, type Step, send } from '../engine/lifecycle.ts';
import { type Request, run } from '../engine/run.ts';
import { whenThere } from '../engine/when-there.ts';
import type { TokenClient } from '../model/client.ts';
import { type AccessToday, type Bytes, type Grant, grantState, sameBytes } from '../model/grant.ts';
import type { LedgerEntry, Presenter } from '../model/ledger.ts';
import { type Lifetimes, nextChainEndsAt } from '../model/lifetimes.ts';
import {
  type GrantCommit,
  type GrantFacts,
  type GrantPorts,
  grantLifecycle,
  type LoadedGrant,
  revocationOf,
  withGrant,
} from './grant/lifecycle.ts';

/** The facts of a presentation besides the grant's row. */
export type PresentationFacts = GrantFacts &
  Omit<ProofDemanded, 'boundTo'> & {
    readonly lifetimes: Lifetimes;
    readonly today: AccessToday;
    /** 16 random bytes, drawn for this request: the nonce of the next head. */
    readonly nonce: Bytes;
  };

/** A presentation that names a stored grant and comes from a client that exists. */
export type LoadedPresentation = LoadedGrant & { readonly client: TokenClient; readonly grant: Grant };

/** The outcome for the caller. A reuse has committed its revocation by the time it is `rejected`. */
export type Outcome<Issued> =
  | { readonly kind: 'issued'; readonly issued: Issued }
  | { readonly kind: 'rejected'; readonly reason: TokenRejectReason; readonly revoked: boolean };

/** The dependencies of a presentation: the current policy, and the making of tokens. */
export type PresentationPolicy<Issued> = {
  readonly presenter?: () => Presenter;
  readonly lifetimesOf: (client: TokenClient) => Lifetimes;
  readonly accessToday: (grant: Grant, client: TokenClient) => AccessToday;
  /** Signs and encodes the tokens of `next`, the row as it will be. May fail, since it runs before the commit. */
  readonly mint: (next: Grant, today: AccessToday, loaded: LoadedPresentation) => Issued | Promise<Issued>;
};

export type PresentationLifecycle<Facts extends PresentationFacts> = Lifecycle<Grant, Facts, GrantCommit>;
export type PresentationRequest<Facts, Issued> = Request<
  LoadedPresentation,
  Grant,
  Facts,
  GrantCommit,
  Outcome<Issued>
>;

/** @param endsAt milliseconds since 1970: when the presented credential ends. */
export const presentationParts = <Facts extends PresentationFacts>(endsAt: (grant: Grant, facts: Facts) => number) =>
  ({
    answers: { presented: ['issueTokens', 'reject'] },
    sends: {
      revokeGrant: (_, { now, policy, presenter }, { event }) =>
        send(grantLifecycle, { now, policy, presenter }, { type: event }),
    },
    violation: issuesWithoutNewHead,
    ledgerFacts: ({ refreshGeneration, refreshNonce, state, scope }, { today, nonce, presenter }) => ({
      generation: refreshGeneration,
      // The entry of a new head has no more than it needs.
      ...(refreshNonce !== nonce && presenter && { presenter: presenter() }),
      scopeWithheld: state === 'active' ? withheld(scope, today) : null,
    }),
    commitOf: (step, facts, entries) =>
      step.after.state === step.before.state
        ? issuingOf(step, facts, new Date(endsAt(step.before, facts)), entries)
        : revocationOf(step, facts, entries),
  }) as const satisfies Partial<PresentationLifecycle<Facts>>;

/** @returns null: the client may have all that was granted. */
const withheld = (granted: readonly string[], { scope }: AccessToday): string | null =>
  granted.every((name) => scope.includes(name)) ? null : granted.filter((name) => !scope.includes(name)).join(' ');

/** The chain gets a new head with this nonce, and its idle time starts again. */
export const moveHead = (grant: Grant, generation: bigint, { now, nonce, lifetimes }: PresentationFacts): Grant => ({
  ...grant,
  refreshGeneration: generation,
  refreshNonce: nonce,
  lastUsedAt: now,
  chainEndsAt: new Date(nextChainEndsAt(grant, now, lifetimes)),
});

/**
 * Tokens leave exactly when the head moves out of an active state, or stays for a retry; a revocation never comes with
 * tokens.
 */
function issuesWithoutNewHead({ before, after, decisions }: Step<Grant>): string | null {
  const [decision] = decisions;
  const issues = decision !== undefined && effectOf(decision, 'issueTokens') !== undefined;
  const moved = after.refreshGeneration !== before.refreshGeneration;
  const repeats = decision !== undefined && effectOf(decision, 'repeatHead') !== undefined;
  const from = repeats ? 'used' : 'active';
  const isSound =
    issues === (moved || repeats) &&
    !(moved && repeats) &&
    (!issues || (decision.from === from && after.state === 'active'));
  return isSound ? null : 'tokens are issued without a new head or a retry, or a new head without tokens';
}

function issuingOf(
  { before, after }: Step<Grant>,
  { now, policy }: PresentationFacts,
  endsAt: Date,
  [entry]: readonly LedgerEntry[],
): GrantCommit {
  const { refreshGeneration: generation, refreshNonce: nonce, chainEndsAt } = after;
  if (generation === null || nonce === null || chainEndsAt === null || !entry) {
    throw new InvariantViolation('the head is incomplete, or has no line in the ledger');
  }
  const issuing = { loaded: before, now, endsAt, policy, entry };
  return generation === before.refreshGeneration
    ? { kind: 'repeatHead', repeat: issuing }
    : { kind: 'moveHead', move: { ...issuing, generation, nonce, chainEndsAt } };
}

/** The keys without whose proof the client gets no access token. */
export const proofDemandedOf = (client: TokenClient): Omit<ProofDemanded, 'boundTo'> => ({
  proofRequired: client.dpopBoundAccessTokens,
  certificateRequired: client.tlsClientCertificateBoundAccessTokens,
});

/** For a request that presents no credential, by the arms that codes and refresh tokens have. Null: nothing more is needed. */
export const unprovenReason = (context: ProofDemanded, proof: Proof): TokenRejectReason | null =>
  rejectUnproven.find(({ guard }) => proofGuards[guard]({ context, event: { proof } }))?.actions.params.reason ?? null;

/** @param more the facts that only this kind of credential needs. */
export function presentationRequest<Facts extends PresentationFacts, Issued>(
  lifecycle: PresentationLifecycle<Facts>,
  { presenter, lifetimesOf, accessToday, mint }: PresentationPolicy<Issued>,
  nonce: Bytes,
  more: Omit<Facts, keyof PresentationFacts>,
  eventAt: (now: Date) => { readonly type: 'presented' },
): PresentationRequest<Facts, Issued> {
  return {
    lifecycle,
    read: ({ grant, client, now }) => {
      const lifetimes = lifetimesOf(client);
      const today = accessToday(grant, client);
      const policy = lifetimes.name;
      const demanded = proofDemandedOf(client);
      const facts = { ...more, now, lifetimes, today, policy, ...demanded, nonce, presenter } as unknown as Facts;
      return { row: grant, facts, event: eventAt(now) };
    },
    answer: ({ before, after, decisions: [decision] }, loaded, { today }) => {
      const rejected = decision && effectOf(decision, 'reject');
      if (!rejected) return whenThere(mint(after, today, loaded), (issued) => ({ kind: 'issued' as const, issued }));
      const reason = rejected.params.reason as TokenRejectReason;
      return { kind: 'rejected', reason, revoked: after.state !== before.state };
    },
    // No other request drew this nonce, so the commit took place and only its answer was lost.
    isIn: ({ grant }, { after }) =>
      sameBytes(after.refreshNonce, nonce) && sameBytes(grant.refreshNonce, nonce) && grantState(grant) === 'active',
  };
}

/** @throws Unavailable when the store cannot be reached, does not settle, or its commit cannot be known. */
export function present<Facts, Issued>(
  { store, sleep }: GrantPorts,
  request: PresentationRequest<Facts, Issued>,
  first: LoadedPresentation,
): Promise<Outcome<Issued>> {
  const key = { clientId: first.client.clientId, grantId: first.grant.id };
  const load = async () => {
    const { client, ...loaded } = withGrant(await store.load(key));
    // Rows of `clients` are never deleted.
    if (!client) throw new InvariantViolation('a client vanished while it presented a token');
    return { ...loaded, client };
  };
  return run({ load, commit: store.commit, sleep }, request, first);
}
