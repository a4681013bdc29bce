/** The tokens of a decision to issue: a signed access token and, where the client may refresh, the chain's head. */

import {
  type Configuration,
  DEFAULT_ACCESS_TOKEN_ALGORITHM,
  policyOf,
  signingAlgorithmOf,
} from '../config/configuration.ts';
import { profileOf } from '../config/own-clients.ts';
import { accessTokenId, type Confirmation, signAccessToken } from '../crypto/access-token.ts';
import { writeRefreshToken } from '../crypto/refresh-token.ts';
import { InvariantViolation } from '../engine/errors.ts';
import { instrument } from '../engine/observe.ts';
import { whenThere } from '../engine/when-there.ts';
import type { LoadedPresentation } from '../lifecycles/presentation.ts';
import type { TokenClient } from '../model/client.ts';
import { type AccessToday, type Grant, type SignInFacts, subOfGrant } from '../model/grant.ts';
import type { Proof } from '../model/proof.ts';
import type { Claims } from '../model/user.ts';
import { authenticationClassOf, BY_PASSWORD } from '../oauth/authentication-methods.ts';
import { formatScope } from '../oauth/scope.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { confirmationOf, tokenTypeOf } from './confirmation.ts';
import type { TokenDeps, TokenResponse } from './grant-type.ts';
import { issueIdToken } from './id-token.ts';
import { type Narrowing, narrowedAccess, RefusedAtIssue } from './narrowing.ts';
import { releasedClaims } from './released-claims.ts';
import type { Access } from './requested-access.ts';

type Subject = {
  readonly client: TokenClient;
  readonly sub: string;
  readonly grantId: string | null;
  /** Custom claims about the end-user. Null: the policy releases none, or there is no end-user. */
  readonly claims: Claims | null;
  /** The method and time of the sign-in. Null: there is no end-user, or the grant has no record of it. */
  readonly signIn: SignInFacts | null;
  /** The keys that the request proved. Null: none, so the token is a bearer token. */
  readonly confirmation: Confirmation | null;
};

/** RFC 9068 §2.2. Called before any commit. @throws RefusedAtIssue when the resources need different signatures. */
export function issueAccessToken(
  deps: TokenDeps,
  subject: Subject,
  access: Access,
  now: Date,
): TokenResponse | Promise<TokenResponse> {
  const { client, sub, grantId, claims, signIn, confirmation } = subject;
  const expiresIn = accessTokenLifetimeSeconds(deps, client, access);
  const iat = Math.floor(now.getTime() / 1000);
  const [aud, ...more] = access.resources;
  if (aud === undefined) throw new InvariantViolation('an access token without an audience');
  const signer = deps.keyRing.signerOf(signingAlgorithmFor(deps.configuration(), client, access));
  const told = {
    ...releasedClaims(deps.configuration().claims, 'access_token', access.scope, claims),
    iss: deps.issuer,
    sub,
    aud: more.length > 0 ? access.resources : aud,
    client_id: client.clientId,
    scope: formatScope(access.scope),
    jti: accessTokenId(grantId === null ? { clientEpoch: client.epoch } : { grantId }, deps.random.bytes(16)),
    iat,
    exp: iat + expiresIn,
    ...(signIn && { acr: authenticationClassOf(signIn.amr ?? BY_PASSWORD), auth_time: signIn.authTime }),
    ...(confirmation !== null && { cnf: confirmation }),
  };
  return whenThere(
    instrument('sign', 'accessToken', () => signAccessToken(signer, told)),
    (accessToken): TokenResponse => ({
      access_token: accessToken,
      token_type: tokenTypeOf(confirmation),
      expires_in: expiresIn,
      scope: formatScope(access.scope),
    }),
  );
}

/** `boundTo`: the thumbprint to which the presented refresh token is bound. Null: none. */
export type Binding = { readonly proof: Proof; readonly boundTo: string | null };

/**
 * The tokens of a chain whose head is `next`: an access token, an ID Token where the end-user granted `openid`, and a
 * refresh token where the client may refresh.
 *
 * @throws RefusedAtIssue when a token cannot express the requested access.
 */
export function issueTokens(
  deps: TokenDeps,
  next: Grant,
  today: AccessToday,
  asked: Narrowing,
  { now, client, claims }: LoadedPresentation,
  { proof, boundTo }: Binding,
): TokenResponse | Promise<TokenResponse> {
  const { refreshGeneration: generation, refreshNonce: nonce } = next;
  if (generation === null || nonce === null) throw new InvariantViolation('tokens of a chain that is not started');
  const access = narrowedAccess(deps.configuration(), next, today, asked);
  const confirmation = confirmationOf(proof);
  const subject = { client, sub: subOfGrant(next), grantId: next.id, claims, signIn: next.identity, confirmation };
  // RFC 9449 §5, RFC 8705 §4: the refresh token of a public client is bound to the key or the certificate, and that of another to its
  // authentication.
  const refreshKey = boundTo ?? (client.tokenEndpointAuthMethod === 'none' ? (proof.certificate ?? proof.key) : null);
  const refreshBinding = refreshKey === null ? {} : { boundTo: refreshKey };
  const idTokenOf = (response: TokenResponse) => {
    if (!identifies(next, today, asked)) return null;
    const told = releasedClaims(deps.configuration().claims, 'id_token', access.asked, claims);
    return issueIdToken(deps, next, client, response, told, now);
  };
  return whenThere(issueAccessToken(deps, subject, access, now), (response) =>
    whenThere(
      idTokenOf(response),
      (idToken): TokenResponse => ({
        ...response,
        scope: formatScope(access.answered),
        ...(idToken !== null && { id_token: idToken }),
        ...(today.mayRefresh && {
          refresh_token: writeRefreshToken(deps.keys, { grantId: next.id, generation, nonce, ...refreshBinding }),
        }),
      }),
    ),
  );
}

/** A refresh whose scope omits `openid` gets no ID Token. */
const identifies = (next: Grant, today: AccessToday, { scope }: Narrowing): next is Grant & { identity: SignInFacts } =>
  next.identity !== null && today.scope.includes('openid') && (scope === null || scope.includes('openid'));

/**
 * A token has one signature. The UserInfo Endpoint is part of this server, and accepts any of its algorithms.
 * @throws RefusedAtIssue when the resources need different signatures.
 */
export function signingAlgorithm({ resources }: Configuration, access: Access): SigningAlgorithm {
  let algorithm: SigningAlgorithm | null = null;
  for (const resource of resources) {
    if (!access.resources.includes(resource.identifier)) continue;
    const own = signingAlgorithmOf(resource);
    if (algorithm !== null && algorithm !== own) throw new RefusedAtIssue('resources_differ_in_signature');
    algorithm = own;
  }
  return algorithm ?? DEFAULT_ACCESS_TOKEN_ALGORITHM;
}

/** @throws RefusedAtIssue when the profile of the client does not have the algorithm (FAPI 2.0 Security Profile §5.4.1), too. */
function signingAlgorithmFor(configuration: Configuration, client: TokenClient, access: Access): SigningAlgorithm {
  const algorithm = signingAlgorithm(configuration, access);
  if (algorithm === 'RS256' && profileOf(configuration, client) !== undefined)
    throw new RefusedAtIssue('resource_outside_profile');
  return algorithm;
}

/** Seconds: from the client's policy, capped by every resource in the audience. */
function accessTokenLifetimeSeconds(deps: TokenDeps, client: TokenClient, access: Access): number {
  const configuration = deps.configuration();
  const caps = configuration.resources
    .filter((one) => access.resources.includes(one.identifier))
    .map((one) => one.accessTokenLifetimeSeconds ?? Number.POSITIVE_INFINITY);
  return Math.min(policyOf(configuration, client).accessTokenLifetimeSeconds, ...caps);
}
