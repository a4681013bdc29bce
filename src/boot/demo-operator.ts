/**
 * Whether there is demo data, and what that means for administration: the demo user is an operator, so that the console and the
 * management API can be tried. Only on the embedded database with a loopback HOST.
 */
import type { Configuration } from '../config/configuration.ts';
import { isLoopback } from '../config/environment.ts';
import { usernameKey } from '../oauth/username.ts';
import type { Runtime } from './runtime.ts';

export const DEMO_USERNAME = 'demo';

export const hasDemo = ({ database, environment }: Pick<Runtime, 'database' | 'environment'>): boolean =>
  database.kind === 'embedded' && isLoopback(environment.host);

/** Where operators.yaml names the demo user, that holds. */
export function withDemoOperator(configuration: Configuration): Configuration {
  const { operators } = configuration;
  const named = [...operators.operators, ...operators.auditors];
  if (named.some((username) => usernameKey(username) === DEMO_USERNAME)) return configuration;
  return { ...configuration, operators: { ...operators, operators: [...operators.operators, DEMO_USERNAME] } };
}
