/** A client that authenticates with a key of its own (RFC 7523 §2.2): its key, the signature, then the times and the single use. */
import type { UsedJtiRejectReason } from '../../machines/used-jti/facts.ts';
import { policyOf } from '../config/configuration.ts';
import { profileOf } from '../config/own-clients.ts';
import type { ClientAssertion } from '../crypto/client-assertion.ts';
import { jtiHash } from '../crypto/jti-hash.ts';
import { presentJti } from '../lifecycles/used-jti/lifecycle.ts';
import type { Client } from '../model/client.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { ONLY_WHERE_REGISTERED } from '../oauth/signing-algorithms.ts';
import { checkClientSignature, SIGNATURE_REASONS, workAsFor } from './client-signature.ts';
import type { TokenDeps } from './grant-type.ts';

/**
 * The row is loaded as a whole, beside what the request loads: only clients with keys pay for it.
 * @returns null: the client is authenticated. @throws Unavailable, StoreUnavailable
 */
export async function checkAssertion(deps: TokenDeps, assertion: ClientAssertion): Promise<TokenReason | null> {
  const { client, now } = await deps.store.loadClient(assertion.clientId);
  const refused = await checkSignature(deps, client, assertion);
  if (refused !== null) return refused;
  // After the signature: so only the client itself can use up a jti, and learns about its times.
  const { clientId, jti, exp, nbf, iat } = assertion;
  const begins = [nbf, iat].filter((one) => one !== null);
  const answer = await presentJti(deps, jtiHash('client-assertion', clientId, jti), now, {
    endsAt: instant(exp),
    beginsAt: begins.length === 0 ? null : instant(Math.max(...begins)),
  });
  return answer.kind === 'accepted' ? null : REASONS[answer.reason];
}

const instant = (seconds: number): Date => new Date(seconds * 1000);

const REASONS: Readonly<Record<UsedJtiRejectReason, TokenReason>> = {
  proof_expired: 'client_assertion_expired',
  proof_lives_too_long: 'client_assertion_lives_too_long',
  proof_from_future: 'client_assertion_from_future',
  proof_reused: 'client_assertion_reused',
};

async function checkSignature(
  deps: TokenDeps,
  client: Client | null,
  assertion: ClientAssertion,
): Promise<TokenReason | null> {
  // An unknown client costs the same work, so the time does not reveal which ids exist.
  if (client === null || client.deletedAt !== null) return refusedAfterWork(assertion, 'client_unknown');
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt') return refusedAfterWork(assertion, 'client_has_no_key');
  // The registration can be older than the profile (FAPI 2.0 Security Profile §5.4.1).
  if (ONLY_WHERE_REGISTERED.includes(assertion.alg) && profileOf(deps.configuration(), client) !== undefined)
    return refusedAfterWork(assertion, 'client_assertion_other_algorithm');
  const problem = await checkClientSignature(deps, client, client.tokenEndpointAuthSigningAlg, assertion);
  if (problem !== null) return SIGNATURE_REASONS[problem];
  // After the signature: only the client itself learns about its policy.
  const isOfOtherAudience =
    assertion.isForTokenEndpoint && policyOf(deps.configuration(), client).tokenEndpointAudienceAccepted !== true;
  return isOfOtherAudience ? 'client_assertion_for_token_endpoint' : null;
}

function refusedAfterWork(assertion: ClientAssertion, reason: TokenReason): TokenReason {
  workAsFor(assertion);
  return reason;
}
