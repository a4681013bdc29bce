/** The profile that the policy of a client names, at each request: the registration can be older than the profile. */
import { brokenAtToken, brokenByClient, demandsOf } from '../../policies/profiles.ts';
import type { Configuration } from '../config/configuration.ts';
import { profileOf } from '../config/own-clients.ts';
import type { Client, TokenClient } from '../model/client.ts';
import type { ResponseMode } from '../model/interaction.ts';
import type { AuthorizationErrorCode } from '../oauth/errors.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { type Refused, refuse } from './grant-type.ts';

/** Null: no profile, or the client keeps its rules. */
export function profileNotKept(configuration: Configuration, client: TokenClient): Refused | null {
  const profile = profileOf(configuration, client);
  if (profile === undefined) return null;
  const [broken] = brokenAtToken(profile, client);
  return broken === undefined ? null : refuse('profile_not_kept', broken.field);
}

type Against = { readonly error: AuthorizationErrorCode; readonly reason: string; readonly description: string };

/** For an authorization request, pushed or not. */
export function againstProfile(
  configuration: Configuration,
  client: Client,
  responseMode: ResponseMode,
): Against | null {
  const profile = profileOf(configuration, client);
  if (profile === undefined) return null;
  const [broken] = brokenByClient(profile, client);
  if (broken !== undefined) {
    const description = `the client breaks a rule of the profile ${profile}: ${broken.field} is ${broken.found}`;
    return { error: 'unauthorized_client', reason: 'profile_not_kept', description };
  }
  return demandsOf(profile).signedResponse && !responseMode.endsWith('.jwt') ? RESPONSE_UNSIGNED : null;
}

const RESPONSE_UNSIGNED: Against = {
  error: 'invalid_request',
  reason: 'signed_response_required',
  description: 'this client has to ask for a signed response, by response_mode=jwt (JARM)',
};

/** The algorithm of signed responses. JARM §3 names RS256 as the default, and FAPI 2.0 Security Profile §5.4.1 leaves it out. */
export const responseAlgorithmOf = (configuration: Configuration, client: Client): SigningAlgorithm =>
  client.authorizationSignedResponseAlg ?? (profileOf(configuration, client) === undefined ? 'RS256' : 'ES256');
