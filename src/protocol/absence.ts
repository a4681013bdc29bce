/** Whether a client may go on while the end-user is away: one answer, before consent and on the page of permissions. */
import type { Configuration } from '../config/configuration.ts';
import type { Client } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { mayRefresh, mayRefreshToday } from './access-today.ts';

/** Before consent, with what is asked for. It gets refresh tokens, which outlive the session of the browser. */
export const wouldGoOnWhileAway = (
  configuration: Configuration,
  client: Client,
  { scope }: Pick<Grant, 'scope'>,
): boolean => configuration.policies.has(client.policy) && mayRefresh(configuration, scope, client);

/** With what was granted, under the client's ceiling of today. Without a policy nothing can be exchanged today. */
export const goesOnWhileAway = (configuration: Configuration, client: Client, grant: Grant): boolean =>
  configuration.policies.has(client.policy) && mayRefreshToday(configuration, grant, client);
