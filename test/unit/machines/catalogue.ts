/** The machines in use, so that tests can walk, query and mutate them all in one way. */
import { RUNNING, type RunningName } from '../../../machines/running.ts';
import { isComposed } from '../../../src/catalogue/guards.ts';
import { type Machine, readMachine } from '../../../src/catalogue/read.ts';

/** One way out of a state, as it stands in the machine's file. */
export type WrittenArm = {
  guard?: unknown;
  target?: string;
  actions?: unknown;
  description?: string;
  meta?: { readonly spec?: string };
};
type WrittenState = {
  description?: string;
  meta?: { readonly spec?: string };
  on: Record<string, WrittenArm | WrittenArm[]>;
};
export type Config = { readonly id: string; initial: string; states: Record<string, WrittenState>; context?: unknown };

export type Subject = {
  readonly name: string;
  readonly config: Config;
  readonly machine: Machine;
  readonly events: readonly string[];
  /** The real predicates; the tests of the machines replace them by their outcomes. */
  readonly guards: Readonly<Record<string, unknown>>;
};

const subjectOf = (name: RunningName): Subject => {
  const machine = RUNNING[name];
  const read = readMachine(machine.config);
  return {
    name,
    config: machine.config as unknown as Config,
    machine: read,
    events: [...new Set(read.states.flatMap(({ arms }) => arms.map(({ event }) => event)))],
    guards: machine.implementations.guards as Subject['guards'],
  };
};

const ALL = Object.fromEntries(Object.keys(RUNNING).map((name) => [name, subjectOf(name as RunningName)])) as Readonly<
  Record<RunningName, Subject>
>;

export const {
  authorizationCode,
  refreshToken,
  grant,
  interaction,
  session,
  signingKey,
  client,
  user,
  externalSignIn,
  linkedIdentity,
  signInCode,
  emailChallenge,
  operatorSetUp,
  pushedRequest,
  clientDocument,
  clientRegistration,
  usedJti,
  secondFactor,
  recoveryCode,
  passkey,
  trustedBrowser,
  webhookDelivery,
  mail,
} = ALL;
export const subjects: readonly Subject[] = Object.values(ALL);

/** A copy that shares nothing: arms that one constant gives to several states can be changed one at a time. */
export const copyOf = (config: Config): Config => copied(config, (code) => code) as Config;

/** The same with a name instead of any function: a function has no name to ask about. */
export const withoutCode = (config: Config): Config =>
  copied(config, (code) => (isComposed(code) ? code : 'code')) as Config;

/** `and`, `or` and `not` are functions, so a copy by way of JSON would lose them. */
function copied(value: unknown, ofCode: (code: unknown) => unknown): unknown {
  if (typeof value === 'function') return ofCode(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => copied(one, ofCode));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copied(one, ofCode)]));
}
