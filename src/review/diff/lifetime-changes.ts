/** Changed lifetimes, and their effect on active chains (docs/decisions/0013). */
import type { Policy } from '../../../policies/schema.ts';
import { inOneUnit } from '../../system/durations.ts';

export type PolicyChange = {
  readonly policy: string;
  readonly key: string;
  readonly from: number | boolean | string | null;
  readonly to: number | boolean | string | null;
  /** The effect on active rows. */
  readonly means: string;
};

type Policies = ReadonlyMap<string, Policy>;
type KeysOfType<Type> = { [Key in keyof Policy]-?: Type extends NonNullable<Policy[Key]> ? Key : never }[keyof Policy];
type OptionalKey = { [Key in keyof Policy]-?: undefined extends Policy[Key] ? Key : never }[keyof Policy];
type Meaning = {
  readonly shorter: (from: string, to: string) => string;
  readonly longer: (from: string, to: string) => string;
};

const SIGN_IN_AGAIN = 'End-users who signed in otherwise are asked again; chains live on.';
const ANY_SIGN_IN = 'Any sign-in is enough.';

/** Of a number that becomes smaller or larger. */
const MEANINGS: Readonly<Record<KeysOfType<number>, Meaning>> = {
  accessTokenLifetimeSeconds: {
    shorter: (from, to) => `Tokens issued from now on live ${to}; those that are out keep their ${from}.`,
    longer: (from, to) =>
      `Tokens issued from now on live ${to}: a stolen one is of use for that long. Those that are out keep their ${from}.`,
  },
  authorizationCodeLifetimeSeconds: {
    shorter: (_, to) => `Codes that are older than ${to} end immediately.`,
    longer: (from) => `Codes that are out keep their ${from}; none that has ended comes back.`,
  },
  refreshIdleLifetimeSeconds: {
    shorter: (_, to) =>
      `Chains that have not been used for ${to} end immediately: their end-users have to sign in again. The others end ${to} after their last use.`,
    longer: (from, to) =>
      `An active chain gets ${to} at its next use; until then it keeps the end that it was given (${from} after its last use). None that has ended comes back.`,
  },
  refreshAbsoluteLifetimeSeconds: {
    shorter: (_, to) =>
      `Chains that were approved more than ${to} ago end immediately: their end-users have to sign in again.`,
    longer: (_, to) =>
      `An active chain continues at most until ${to} after its approval, from its next use on. None that has ended comes back.`,
  },
  provenRetrySeconds: {
    shorter: (_, to) =>
      `A lost answer is repeated until ${to} after the last use. A later retry is rejected, and its chain stays active.`,
    longer: (_, to) =>
      `A lost answer is repeated until ${to} after the last use: a thief who also has the key gets the successor for that long.`,
  },
  pushedRequestLifetimeSeconds: {
    shorter: (_, to) => `Requests that are pushed from now on wait ${to} for their browser.`,
    longer: (_, to) =>
      `Requests that are pushed from now on wait ${to} for their browser: a leaked request_uri works for that long.`,
  },
  consentLifetimeSeconds: {
    shorter: (_, to) => `End-users who gave their consent more than ${to} ago are asked again. Chains live on.`,
    longer: (_, to) => `A consent that has not ended lasts until ${to} after it was given.`,
  },
  maxAuthenticationAgeSeconds: { shorter: () => SIGN_IN_AGAIN, longer: () => SIGN_IN_AGAIN },
};

/** Of a key that can be absent: its meaning when it comes, and when it goes. */
const SWITCHES: Readonly<Record<OptionalKey, { readonly on: string; readonly off: string }>> = {
  refreshTokensNeedOfflineAccess: {
    on: 'Chains without offline_access can no longer be refreshed: the client receives invalid_grant, and no chain is used up by that.',
    off: 'Every client that may refresh gets refresh tokens from its next exchange on. Chains without offline_access that have not ended can be refreshed again.',
  },
  provenRetrySeconds: {
    on: 'A used refresh token with its proof no longer ends its chain, active chains included. Without the proof it does, as before.',
    off: 'A used refresh token ends its chain, also with its proof: a client that repeats a request signs its end-user out.',
  },
  pushedRequestLifetimeSeconds: {
    on: 'Requests that are pushed from now on wait this long for their browser, instead of 60 seconds.',
    off: 'Requests that are pushed from now on wait 60 seconds for their browser.',
  },
  consentLifetimeSeconds: {
    on: 'A remembered consent ends: end-users whose consent is older are asked again. Chains live on.',
    off: 'A remembered consent has no end of its own. One that has ended does not come back.',
  },
  dpopNonceRequired: {
    on: 'A DPoP proof without a nonce is refused once, and a client that repeats it with the nonce continues. Others get no tokens.',
    off: 'A stolen DPoP proof counts for its own short life, without a nonce of this server.',
  },
  tokenEndpointAudienceAccepted: {
    on: 'A client assertion may name the token endpoint as its audience: a malicious server that the client also uses can obtain one.',
    off: 'A client assertion that names the token endpoint as its audience is refused: such a client gets no tokens and cannot refresh.',
  },
  profile: {
    on: 'A client that breaks a rule of the profile is refused at each endpoint (unauthorized_client). No chain is used up by that.',
    off: 'Clients need to keep no rule of the profile. Chains keep the bindings of their tokens.',
  },
  requiredAuthenticationClass: { on: SIGN_IN_AGAIN, off: ANY_SIGN_IN },
  maxAuthenticationAgeSeconds: { on: SIGN_IN_AGAIN, off: ANY_SIGN_IN },
};

export function policyChanges(before: Policies, after: Policies): PolicyChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((policy) => {
    const [old, fresh] = [before.get(policy), after.get(policy)];
    if (!fresh)
      return [whole(policy, true, 'Clients that name it are refused at start until another policy is theirs.')];
    if (!old) return [whole(policy, false, 'No client has it yet.')];
    return keysOf(old, fresh).flatMap((key) => changeOf(policy, key, old, fresh));
  });
}

const whole = (policy: string, was: boolean, means: string): PolicyChange => ({
  policy,
  key: '(the whole policy)',
  from: was,
  to: !was,
  means,
});

const keysOf = (old: Policy, fresh: Policy) =>
  [...new Set([...Object.keys(old), ...Object.keys(fresh)])] as (keyof Policy)[];

function changeOf(policy: string, key: keyof Policy, old: Policy, fresh: Policy): PolicyChange[] {
  const [from, to] = [old[key] ?? false, fresh[key] ?? false];
  if (from === to) return [];
  const means =
    typeof from === 'number' && typeof to === 'number'
      ? MEANINGS[key as KeysOfType<number>][to < from ? 'shorter' : 'longer'](
          inOneUnit(from * 1000),
          inOneUnit(to * 1000),
        )
      : SWITCHES[key as OptionalKey][to === false ? 'off' : 'on'];
  return [{ policy, key, from, to, means }];
}
