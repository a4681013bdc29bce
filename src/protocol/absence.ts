/**
 * Whether a client keeps access while the end-user is away. Consent and the page of permissions use this one answer.
 */
import type { Configuration } from '../config/configuration.ts';
import type { Client } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { mayRefresh, mayRefreshToday } from './access-today.ts';

/**
 * Before consent, for the requested access. The client receives refresh tokens, which outlive the session of the
 * browser.
 */
export const wouldContinueWhileAway = (
  configuration: Configuration,
  client: Client,
  { scope }: Pick<Grant, 'scope'>,
): boolean => configuration.policies.has(client.policy) && mayRefresh(configuration, scope, client);

/** For the granted access, under the client's current ceiling. Without a policy, the client can exchange nothing. */
export const continuesWhileAway = (configuration: Configuration, client: Client, grant: Grant): boolean =>
  configuration.policies.has(client.policy) && mayRefreshToday(configuration, grant, client);
