/** Where Statehouse is meant to be: ratios within one run, so that they hold on any machine. */
import { wholeAuthorization } from './scenarios/authorization.ts';
import { introspection } from './scenarios/introspection.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { clientCredentials, codeExchange, rotation } from './scenarios/token-requests.ts';

/** Names of rows. */
export const operationRow = (scenario: string, inFlight: number): string => `${scenario}, ${inFlight} in flight`;
export const START_ROWS = {
  cpu: 'start to ready, CPU s',
  idle: 'memory idle, MB',
  after: 'memory after operations, MB',
};

export type Aim = {
  readonly row: string;
  readonly figure: 'server' | 'postgres';
  /** Another server, in the same run; null: the figure itself, in the unit of its row. */
  readonly than: 'floor' | 'oidc-provider' | null;
  readonly atMost: number;
};

const of = ({ name }: Scenario, inFlight: number, ...aims: readonly Omit<Aim, 'row'>[]): readonly Aim[] =>
  aims.map((aim) => ({ row: operationRow(name, inFlight), ...aim }));
const server = (than: Aim['than'], atMost: number) => ({ figure: 'server', than, atMost }) as const;
const postgres = (than: Aim['than'], atMost: number) => ({ figure: 'postgres', than, atMost }) as const;

/** The p99 of a rotation beside sign-ins, and beside wrong passwords, divided by the p99 without. */
export const BESIDE_SIGN_INS_AT_MOST = 1.5;
export const BESIDE_WRONG_PASSWORDS_AT_MOST = 2;

/** The p99 of a rotation while the ledger is sealed, divided by the p99 without. */
export const BESIDE_SEALING_AT_MOST = 1.2;

export const AIMS: readonly Aim[] = [
  ...of(wholeAuthorization, 8, server('floor', 2.5), postgres('floor', 2.5), server('oidc-provider', 0.5)),
  ...of(clientCredentials, 8, server('floor', 1.6), server('oidc-provider', 0.7)),
  ...of(clientCredentials, 32, server('floor', 1.2), server('oidc-provider', 0.7)),
  ...of(codeExchange, 8, server('floor', 1.5)),
  ...of(introspection, 8, server('floor', 1.4)),
  ...of(rotation, 8, server('floor', 1.7)),
  ...of(rotation, 32, server('floor', 1.4)),
  { row: START_ROWS.cpu, ...server(null, 0.45) },
  { row: START_ROWS.idle, ...server(null, 100) },
  { row: START_ROWS.after, ...server(null, 160) },
];
