/**
 * Presents a code or a refresh token to its machine, by the loop and the rules of the token endpoint. Nothing is signed and nothing is
 * stored: an accepted presentation gives the grant's row as it would be.
 */
import type { Configuration } from '../config/configuration.ts';
import { InvariantViolation } from '../engine/errors.ts';
import { type Request, running } from '../engine/run.ts';
import { authorizationCodeRequest } from '../lifecycles/authorization-code/lifecycle.ts';
import type { GrantCommit } from '../lifecycles/grant/lifecycle.ts';
import type { LoadedPresentation, Outcome, PresentationPolicy } from '../lifecycles/presentation.ts';
import { refreshTokenRequest } from '../lifecycles/refresh-token/lifecycle.ts';
import type { AccessToday, Grant } from '../model/grant.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { signingAlgorithm } from '../protocol/issue.ts';
import { narrowedAccess, RefusedAtIssue } from '../protocol/narrowing.ts';
import { rulesOf } from '../protocol/presentation.ts';
import { notAllowed } from '../protocol/token-request.ts';
import type { GrantRow } from '../storage/backtest-rows.ts';
import type { ClientHere, Side } from './side.ts';

/** `policy_missing`: the client names a policy that no file has, and the server refuses such a configuration. */
export type BacktestReason = TokenReason | 'policy_missing';

export type Presented =
  | { readonly kind: 'accepted'; readonly next: Grant; readonly scope: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: BacktestReason };

export type Presentation = {
  readonly grant: Grant;
  readonly client: ClientHere;
  readonly now: Date;
  /** Of the end-user of a grant for the management API. */
  readonly username: string | null;
  /** The row was removed: the granted scope is not known, and stays as it was. */
  readonly timesAlone: boolean;
};

/** No decision depends on its value: a presented token is the head of its chain. */
export const NONCE = new Uint8Array(16);
const CODE = {
  codeHash: NONCE,
  codeChallenge: 'the challenge of its verifier',
  redirectUri: 'the redirect URI',
  dpopJkt: null,
};
/** The ledger records no proofs: each request counts as proven. */
const PROVEN = { key: 'a key', problem: null, certificate: 'a certificate' };

/** A grant with the columns that the decision about a token does not compare. */
export const grantOf = (
  row: GrantRow & Pick<Grant, 'liveClientEpoch' | 'liveUserEpoch' | 'liveServerEpoch'>,
): Grant => ({
  ...row,
  ...CODE,
  identity: null,
  refreshNonce: row.refreshGeneration === null ? null : NONCE,
});

export const presentRefreshToken = (side: Side, presentation: Presentation): Presented =>
  presentGeneration(side, presentation, presentation.grant.refreshGeneration ?? 0n);

/** The predecessor of the head, again. */
export const presentRetry = (side: Side, presentation: Presentation): Presented =>
  presentGeneration(side, presentation, (presentation.grant.refreshGeneration ?? 0n) - 1n);

function presentGeneration(side: Side, presentation: Presentation, generation: bigint): Presented {
  const { grant } = presentation;
  const token = { generation, nonce: NONCE };
  return present(side, presentation, 'refresh_token', (policy) =>
    refreshTokenRequest(
      token,
      { clientId: grant.clientId, proof: PROVEN, clientProvesKey: true, scope: null, resources: null },
      policy,
      NONCE,
    ),
  );
}

export const presentCode = (side: Side, presentation: Presentation): Presented => {
  const { clientId, redirectUri, codeChallenge } = presentation.grant;
  const presented = { clientId, redirectUri, challengeOfVerifier: codeChallenge, proof: PROVEN, resources: null };
  return present(side, presentation, 'authorization_code', (policy) =>
    authorizationCodeRequest(presented, policy, NONCE),
  );
};

type Accepted = Extract<Presented, { kind: 'accepted' }>;
type Asked = Request<LoadedPresentation, Grant, never, GrantCommit, Outcome<Accepted>>;

function present(
  { configuration, machineOf }: Side,
  { grant, client: { client, isRemoved }, now, username, timesAlone }: Presentation,
  grantType: string,
  ask: (policy: PresentationPolicy<Accepted>) => unknown,
): Presented {
  if (isRemoved) return { kind: 'refused', reason: 'client_unknown' };
  if (!configuration.policies.has(client.policy)) return { kind: 'refused', reason: 'policy_missing' };
  const refused = notAllowed(grantType, client);
  if (refused) return { kind: 'refused', reason: refused.reason };
  const rules = rulesOf(() => configuration, username);
  const request = ask({
    ...rules,
    ...(timesAlone && { accessToday: () => AS_GRANTED }),
    mint: (next, today) => {
      if (!timesAlone) requireExpressible(configuration, next, today);
      return { kind: 'accepted', next, scope: today.scope };
    },
  }) as Asked;
  try {
    const steps = running({ now, client, grant, claims: null }, request, machineOf);
    let next = steps.next();
    while (!next.done) {
      if (next.value.kind !== 'commit')
        throw new InvariantViolation('a backtest makes answers and has nothing to load');
      next = steps.next({ kind: 'committed', committed: true });
    }
    const { value: outcome } = next;
    return outcome.kind === 'issued' ? outcome.issued : { kind: 'refused', reason: outcome.reason };
  } catch (error) {
    if (error instanceof RefusedAtIssue) return { kind: 'refused', reason: error.reason };
    throw error;
  }
}

const AS_GRANTED: AccessToday = { scope: ['as granted'], resources: ['as granted'], mayRefresh: true };

/** As an issue does it before the commit. The ledger does not say whether the request named a scope or a resource. @throws RefusedAtIssue */
function requireExpressible(configuration: Configuration, next: Grant, today: AccessToday): void {
  signingAlgorithm(configuration, narrowedAccess(configuration, next, today, { scope: null, resources: null }));
}
