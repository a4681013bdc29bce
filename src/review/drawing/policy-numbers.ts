/** A policy's numbers for the arms of a machine: shown beside the guard that uses them or the effect that they limit. */
import type { Policy, SignInPolicy, SigningKeyPolicy } from '../../../policies/schema.ts';
import type { Arm } from '../../catalogue/read.ts';
import { keyLifetimes } from '../../config/key-lifetimes.ts';

export type Numbers = {
  /** For people. */
  readonly policyName: string;
  readonly policy: Policy;
  readonly signIn: SignInPolicy;
  readonly signingKeys: SigningKeyPolicy;
};

type TextByName = Readonly<Record<string, (numbers: Numbers) => string>>;

/** By machine, then by guard or effect. */
const TEXTS: Readonly<Record<string, TextByName>> = {
  authorizationCode: {
    expired: ({ policy }) => `${short(policy.authorizationCodeLifetimeSeconds)} after the approval`,
    issueTokens: ({ policy }) => `access token for ${short(policy.accessTokenLifetimeSeconds)}`,
  },
  refreshToken: {
    expired: ({ policy }) =>
      `after ${short(policy.refreshIdleLifetimeSeconds)} idle, ${short(policy.refreshAbsoluteLifetimeSeconds)} at most`,
    issueTokens: ({ policy }) => `access token for ${short(policy.accessTokenLifetimeSeconds)}`,
  },
  interaction: {
    expired: ({ signIn }) => `${short(signIn.interactionLifetimeSeconds)} after the request`,
    signInIsNeeded: ({ signIn }) => `a session lasts ${short(signIn.sessionLifetimeSeconds)}`,
    codeIsWaiting: ({ policy }) => `for ${short(policy.authorizationCodeLifetimeSeconds)}`,
  },
  session: {
    tooOld: ({ signIn }) => `after ${short(signIn.sessionLifetimeSeconds)}`,
    idle: ({ signIn }) =>
      signIn.sessionIdleLifetimeSeconds === undefined
        ? 'no limit'
        : `after ${short(signIn.sessionIdleLifetimeSeconds)} without use`,
  },
  signingKey: {
    handoverIsDue: ({ signingKeys }) =>
      `after ${short(signingKeys.signingLifetimeSeconds)}, the next one published for ${short(signingKeys.publishedBeforeSigningSeconds)}`,
    endsWithoutSuccessor: ({ signingKeys }) => `after ${short(signingKeys.signingLifetimeSeconds)}`,
    successorIsNeeded: ({ signingKeys }) =>
      `${short(keyLifetimes(signingKeys).successorLeadSeconds)} before its ${short(signingKeys.signingLifetimeSeconds)} end`,
    successorMaySign: ({ signingKeys }) => `published for ${short(signingKeys.publishedBeforeSigningSeconds)}`,
    hastenHandover: ({ signingKeys }) => `published for ${short(signingKeys.publishedBeforeSigningSeconds)} first`,
    lastTokenHasExpired: ({ signingKeys }) => `after ${short(keyLifetimes(signingKeys).retiringSeconds)}`,
  },
};

/** Empty: no number of the policy concerns this arm. */
export function numbersOf(machine: string, arm: Arm, numbers: Numbers): string {
  const texts = Object.hasOwn(TEXTS, machine) ? (TEXTS[machine] ?? {}) : {};
  return [...arm.asks, ...arm.effects]
    .map(({ name }) => name)
    .flatMap((name) => (Object.hasOwn(texts, name) ? [texts[name]?.(numbers) ?? ''] : []))
    .join(', ');
}

/** The file or policy that the numbers of a machine come from. */
export const sourceOf = (machine: string, { policyName }: Numbers): string =>
  ({
    signingKey: 'signing-keys.yaml',
    session: 'sign-in.yaml',
    interaction: `sign-in.yaml and the policy ${policyName}`,
  })[machine] ?? `the policy ${policyName}`;

const UNITS = [
  ['day', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** 3910 → "1 h 5 min 10 s"; up to 120 stays in seconds: 60 → "60 s". */
export function short(seconds: number): string {
  if (seconds <= 120) return `${seconds} s`;
  let rest = seconds;
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit === 'day' && count > 1 ? 'days' : unit}`];
  });
  return parts.join(' ');
}
