/** Whether a client may go on while the end-user is away: one answer, before consent and on the page of permissions. */
import type { Configuration } from '../config/configuration.ts';
import type { Client } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { mayRefresh } from './issue.ts';

/** It gets refresh tokens, which outlive the session of the browser. Without a policy nothing can be exchanged today. */
export const goesOnWhileAway = (configuration: Configuration, client: Client, granted: Pick<Grant, 'scope'>): boolean =>
  configuration.policies.has(client.policy) && mayRefresh(configuration, granted, client);
